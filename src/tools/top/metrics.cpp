#include "tools/top/metrics.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/utf8.hpp"

namespace charm::top {
namespace {

constexpr std::size_t longest_label = 64;  // bytes; names of programs and policies come from elsewhere
constexpr double gigabyte = 1e9;

using Type = MetricFamily::Type;

std::string number_text(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  std::array<char, 400> text{};
  const bool whole = value == std::floor(value) && std::abs(value) < 9e15;
  const auto end = whole ? std::to_chars(text.begin(), text.end(), static_cast<std::int64_t>(value)).ptr
                         : std::to_chars(text.begin(), text.end(), value).ptr;
  return {text.data(), end};
}

/// Backslashes, line ends and, in values, quotes.
std::string escaped(const std::string& text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && quotes) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
  return out;
}

std::string place(int chiplet, int node) {
  return label("chiplet", std::to_string(chiplet)) + "," + label("node", std::to_string(node));
}

std::string source_label(counters::FillSource source) { return label("source", std::string(counters::name(source))); }

}  // namespace

const char* media_type(MetricFormat format) {
  return format == MetricFormat::openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                             : "text/plain; version=0.0.4; charset=utf-8";
}

std::string label(const std::string& name, const std::string& value) {
  std::string shown = base::valid_utf8(value);
  if (shown.size() > longest_label) {
    shown.resize(longest_label);
    shown = base::valid_utf8(shown);  // a character may have been cut
  }
  return name + "=\"" + escaped(shown, true) + "\"";
}

void Metrics::add(const Snapshot& snapshot) {
  last_ = snapshot;
  last_.rows.clear();
  last_.by_process.clear();
  last_.moves.clear();
  for (const ChipletShare& share : snapshot.chiplets) {
    OfChiplet& chiplet = chiplets_[share.id];
    chiplet.node = share.node;
    chiplet.cores = share.cores.size();
    chiplet.threads = share.threads;
  }
  const double seconds = snapshot.interval_s;
  if (!(seconds > 0)) return;
  ++intervals_;
  watched_s_ += snapshot.busy_cpus * seconds;
  for (const ChipletShare& share : snapshot.chiplets) {
    OfChiplet& chiplet = chiplets_[share.id];
    chiplet.busy_s += share.busy * static_cast<double>(share.cores.size()) * seconds;
    if (!share.fills) continue;
    chiplet.has.add(share.fills->has);
    for (std::size_t i = 0; i < chiplet.fills.size(); ++i) chiplet.fills[i] += share.fills->per_s[i] * seconds;
  }
  for (const ThreadShare& row : snapshot.rows) {
    const auto chiplet = chiplets_.find(row.chiplet);
    (chiplet == chiplets_.end() ? elsewhere_s_ : chiplet->second.watched_s) += row.busy * seconds;
  }
  if (snapshot.fills) {
    has_fills_.add(snapshot.fills->has);
    for (std::size_t i = 0; i < fills_.size(); ++i) fills_[i] += snapshot.fills->per_s[i] * seconds;
  }
  if (snapshot.memory_gb_per_s) {
    memory_known_ = true;
    memory_bytes_ += *snapshot.memory_gb_per_s * gigabyte * seconds;
  }
}

std::vector<MetricFamily> Metrics::families() const {
  std::vector<MetricFamily> all;
  const auto family = [&](Type type, const char* name, const char* unit, const char* help) -> MetricFamily& {
    return all.emplace_back(MetricFamily{type, name, unit, help, {}});
  };
  const auto one = [&](Type type, const char* name, const char* unit, const char* help, double value) {
    family(type, name, unit, help).samples.emplace_back("", value);
  };
  family(Type::info, "charm_top", "", "The program that measures.").samples = {{label("version", version_), 1}};
  family(Type::info, "charm_watched", "", "What is watched: a process, or the machine, whose pid is empty.").samples = {
      {label("program", last_.program) + "," + label("pid", last_.pid == 0 ? "" : std::to_string(last_.pid)), 1}};
  one(Type::counter, "charm_intervals", "", "Intervals that were measured.", static_cast<double>(intervals_));
  one(Type::gauge, "charm_interval_seconds", "seconds", "Length of the last interval.", last_.interval_s);
  one(Type::gauge, "charm_machine_busy_ratio", "ratio", "Share of all cpus' time in the last interval.",
      last_.machine_busy);
  one(Type::gauge, "charm_watched_processes", "", "Processes that are watched.", last_.processes);
  one(Type::gauge, "charm_watched_threads", "", "Threads that are watched.", last_.threads);
  one(Type::counter, "charm_watched_cpu_seconds", "seconds", "Cpu time of the watched threads.", watched_s_);
  one(Type::counter, "charm_watched_unplaced_cpu_seconds", "seconds",
      "The part of it on cpus that belong to no chiplet of the machine's description.", elsewhere_s_);
  one(Type::counter, "charm_thread_moves", "", "Moves of watched threads between chiplets, a lower bound.",
      static_cast<double>(last_.moves_seen));

  const auto by_chiplet = [&](Type type, const char* name, const char* unit, const char* help, auto value) {
    MetricFamily& of_all = family(type, name, unit, help);
    for (const auto& [id, chiplet] : chiplets_)
      of_all.samples.emplace_back(place(id, chiplet.node), static_cast<double>(value(chiplet)));
  };
  by_chiplet(Type::gauge, "charm_chiplet_cores", "", "Cores of the chiplet.", [](const auto& c) { return c.cores; });
  by_chiplet(Type::counter, "charm_chiplet_busy_core_seconds", "seconds",
             "Time in which the chiplet's cores ran any program, the mean of each core's hardware threads.",
             [](const auto& c) { return c.busy_s; });
  by_chiplet(Type::counter, "charm_chiplet_watched_cpu_seconds", "seconds",
             "Cpu time of the watched threads that ran on the chiplet last.",
             [](const auto& c) { return c.watched_s; });
  by_chiplet(Type::gauge, "charm_chiplet_watched_threads", "",
             "Watched threads that were on the chiplet and ran in the last interval.",
             [](const auto& c) { return c.threads; });

  one(Type::gauge, "charm_fills_counted", "", "1 if cache fills are counted, else 0.", last_.fills ? 1 : 0);
  MetricFamily& fills =
      family(Type::counter, "charm_cache_fills", "", "Cache lines that the watched threads have fetched, by source.");
  for (const auto source : counters::all_fill_sources) {
    if (has_fills_.has(source)) fills.samples.emplace_back(source_label(source), fills_[index(source)]);
  }
  MetricFamily& by_place = family(Type::counter, "charm_chiplet_cache_fills", "",
                                  "Cache lines that the chiplet's cores have fetched; of the whole machine only.");
  for (const auto& [id, chiplet] : chiplets_) {
    for (const auto source : counters::all_fill_sources) {
      if (chiplet.has.has(source))
        by_place.samples.emplace_back(place(id, chiplet.node) + "," + source_label(source),
                                      chiplet.fills[index(source)]);
    }
  }
  MetricFamily& memory = family(Type::counter, "charm_memory_read_bytes", "bytes",
                                "Bytes that came from memory by cache fills, a lower bound.");
  if (memory_known_) memory.samples.emplace_back("", memory_bytes_);

  MetricFamily& policy = family(Type::info, "charm_controller", "", "The policy of a watched CHARM program.");
  MetricFamily workers{Type::gauge, "charm_controller_workers", "", "Workers of the watched CHARM program.", {}};
  MetricFamily spread{
      Type::gauge, "charm_controller_chiplets", "", "Chiplets over which its last decision has spread them.", {}};
  MetricFamily decisions{Type::counter, "charm_controller_decisions", "", "Decisions of its controller.", {}};
  if (last_.controller) {
    policy.samples.emplace_back(label("policy", last_.controller->policy), 1);
    workers.samples.emplace_back("", last_.controller->workers);
    if (last_.controller->spread >= 0) spread.samples.emplace_back("", last_.controller->spread);
    decisions.samples.emplace_back("", static_cast<double>(last_.controller->decisions));
  }
  for (MetricFamily* more : {&workers, &spread, &decisions}) all.push_back(std::move(*more));
  return all;
}

std::string Metrics::text(MetricFormat format) const { return exposition(families(), format); }

std::string exposition(const std::vector<MetricFamily>& families, MetricFormat format) {
  const bool open = format == MetricFormat::openmetrics;
  std::string text;
  for (const MetricFamily& family : families) {
    if (family.samples.empty()) continue;
    const char* suffix = family.type == Type::counter ? "_total" : family.type == Type::info ? "_info" : "";
    const char* type = family.type == Type::counter        ? "counter"
                       : family.type == Type::info && open ? "info"
                                                           : "gauge";  // the older format has no infos
    const std::string sample_name = family.name + suffix;
    const std::string& name = open ? family.name : sample_name;
    text += "# TYPE " + name + " " + type + "\n";
    if (open && !family.unit.empty()) text += "# UNIT " + name + " " + family.unit + "\n";
    text += "# HELP " + name + " " + escaped(family.help, open) + "\n";
    for (const auto& [labels, value] : family.samples)
      text += sample_name + (labels.empty() ? "" : "{" + labels + "}") + " " + number_text(value) + "\n";
  }
  if (open) text += "# EOF\n";
  return text;
}

}  // namespace charm::top
