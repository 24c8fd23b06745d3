// The schema of all settings, one row each. A row parses its value from text (environment, file), takes it from the
// Config struct (code), and prints it. resolve() walks the rows; nothing else has a list of the settings.
#include "base/settings.hpp"

#include <charm/error.hpp>

#include <charconv>
#include <cstdlib>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>

#include "base/environment.hpp"
#include "base/mistyped.hpp"
#include "base/notices.hpp"
#include "base/settings_file.hpp"

extern char** environ;

namespace charm::base {
namespace {

struct Row {
  std::string name, default_value, doc, accepts;
  std::function<bool(Settings&, const std::string&)> parse;            // false: not acceptable
  std::function<std::optional<std::string>(const Config&)> from_code;  // as text, so that one parser judges all
};

template <class Int>
auto integer(Int Settings::* field, long long low, long long high) {
  return [=](Settings& s, const std::string& text) {
    long long value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) return false;
    s.*field = static_cast<Int>(value);
    return true;
  };
}

bool is_boolean(const std::string& text, bool& on) {
  on = text == "1" || text == "true" || text == "yes" || text == "on";
  return on || text == "0" || text == "false" || text == "no" || text == "off";
}

auto boolean(bool Settings::* field) {
  return [=](Settings& s, const std::string& text) {
    bool on = false;
    if (!is_boolean(text, on)) return false;
    s.*field = on;
    return true;
  };
}

auto any_text(std::string Settings::* field) {
  return [=](Settings& s, const std::string& text) {
    s.*field = text;
    return true;
  };
}

template <class E>
auto choice(E Settings::* field) {
  return [=](Settings& s, const std::string& text) {
    const auto value = choice_named<E>(text);
    if (value) s.*field = *value;
    return value.has_value();
  };
}

/// What a row of the field accepts.
template <class E>
std::string words(E Settings::* /*field*/) {
  return any_of_words(words_of<E>());
}
template <class E>
std::string words(ChoiceWithFile<E> Settings::* /*field*/) {
  return any_of_words(words_of<E>());
}

auto smt_choice() {
  return [](Settings& s, const std::string& text) {
    bool on = false;
    if (text == word_of(Smt::automatic)) {
      s.smt = Smt::automatic;
    } else if (is_boolean(text, on)) {
      s.smt = on ? Smt::on : Smt::off;
    } else {
      return false;
    }
    return true;
  };
}

auto counters_choice() {
  return [](Settings& s, const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::string file = colon == std::string::npos ? "" : text.substr(colon + 1);
    const auto value = choice_named<Counters>(file.empty() ? text : text.substr(0, colon) + ":FILE");
    if (value) s.counters = {*value, file};
    return value.has_value();
  };
}

/// A byte count with an optional K, M or G (powers of 1024).
auto bytes(std::size_t Settings::* field, std::size_t low, std::size_t high) {
  return [=](Settings& s, const std::string& text) {
    unsigned long long value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return false;
    std::string unit(end, text.data() + text.size());
    int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
    if (shift < 0 || value > (high >> shift) || (value << shift) < low) return false;
    s.*field = static_cast<std::size_t>(value << shift);
    return true;
  };
}

template <class T>
auto code(std::optional<T> Config::* field) {
  return [=](const Config& c) -> std::optional<std::string> {
    if constexpr (std::is_same_v<T, std::string>) {
      return c.*field;
    } else {
      if (!(c.*field)) return std::nullopt;
      return std::to_string(*(c.*field));
    }
  };
}

std::vector<Row> all_rows() {
  Row rows[] = {
      {"workers", "0",
       "Number of workers; 0 means one per allowed physical core but low-power ones, at most the cgroup's cpu quota.",
       "0 to 65536", integer(&Settings::workers, 0, 65536), code(&Config::workers)},
      {"policy", "adaptive",
       "How workers are placed: adaptive, charm-alg1 and charm-alg1-group move them while the program runs; static, "
       "local, distributed, numa and literal do not; os does not bind them. name:parameter=value,... also sets a "
       "controller's parameters.",
       "adaptive, charm-alg1, charm-alg1-group, static, local, distributed, numa, os or literal",
       any_text(&Settings::policy), code(&Config::policy)},
      {"sockets", "widen",
       "widen: as few sockets as hold the workers at the start; a controller may spread them over more. fill: as few, "
       "for ever, and each full before the next. balance: evenly over the sockets.",
       words(&Settings::sockets), choice(&Settings::sockets), code(&Config::sockets)},
      {"spread", "0", "Number of chiplets over which workers are spread at the start; 0 leaves it to the policy.",
       "0 to 65536", integer(&Settings::spread, 0, 65536), code(&Config::spread)},
      {"smt", "0",
       "1: count every SMT sibling (hardware thread) as a core of its own. auto: a worker for each of them, and width "
       "= adaptive, which lets the second ones of cores rest where they do not pay.",
       "0, 1 or auto", smt_choice(), code(&Config::smt)},
      {"share_cores", "0", "Allow more workers than allowed cores; workers then take turns on a core.", "0 or 1",
       boolean(&Settings::share_cores), code(&Config::share_cores)},
      {"topology", "",
       "Machine to assume: an hwloc XML file or synthetic string, a measured profile, a directory with a sysfs tree, "
       "or "
       "a product such as 2xepyc-9654; empty means this one. Workers are not bound on a machine that is not this one.",
       "a file, a directory, a product or an hwloc synthetic string", any_text(&Settings::topology),
       code(&Config::topology)},
      {"profile", "auto",
       "Measured profile of the machine: auto reads the one that charm probe has stored, off reads none; or the file "
       "of one.",
       "auto, off or a file", any_text(&Settings::profile), code(&Config::profile)},
      {"domains", "auto",
       "What counts as a chiplet: auto, the cores behind a last-level cache; cluster, those that share an L2 or that "
       "the kernel calls a cluster; a number, so many parts of each cache; lists of cpus.",
       "auto, cluster, 2 to 4096, lists as 0-13;14-27, or a file with a list in each line",
       any_text(&Settings::domains), code(&Config::domains)},
      {"kinds", "auto",
       "Kinds of cores that get workers, separated by commas: performance, middle, efficiency, low-power. auto: all, "
       "the fastest first, low-power ones only if the others are too few.",
       "auto, or kinds of cores", any_text(&Settings::kinds), code(&Config::kinds)},
      {"stack_bytes", "256K", "Bytes of a task's stack; only touched pages cost memory. K, M and G are understood.",
       "16K to 1G", bytes(&Settings::stack_bytes, 16U << 10, 1U << 30), code(&Config::stack_bytes)},
      {"spin_us", "150", "Microseconds that an idle worker looks for work before it parks.", "0 to 1000000",
       integer(&Settings::spin_us, 0, 1000000), code(&Config::spin_us)},
      {"bind", "core",
       "What a worker's thread is bound to: its core, all allowed cpus of its chiplet or NUMA node, or none.",
       words(&Settings::bind), choice(&Settings::bind), code(&Config::bind)},
      {"lend_caller", "1",
       "1: the thread that calls init() works as worker 0 while it waits in run(), and is bound to its core. 0: it "
       "sleeps there, and is never bound.",
       "0 or 1", boolean(&Settings::lend_caller), code(&Config::lend_caller)},
      {"caller_mask", "own",
       "The affinity mask of the thread that calls init() between its calls of run(): own, the one that it had, or "
       "worker, that of worker 0 until finalize(), which saves two system calls for each run() of a millisecond.",
       words(&Settings::caller_mask), choice(&Settings::caller_mask), code(&Config::caller_mask)},
      {"blocking_threads", "256",
       "Most threads in the pool that runs code in charm::blocking; further calls wait for a free one.", "1 to 32768",
       integer(&Settings::blocking_threads, 1, 32768), code(&Config::blocking_threads)},
      {"deadlock", "report",
       "When all workers sleep and tasks have waited for more than a second: report lists these tasks once, and what "
       "they wait for; abort also ends the program if no other thread could wake them; off does nothing.",
       words(&Settings::deadlock), choice(&Settings::deadlock), code(&Config::deadlock)},
      {"trace", "",
       "File to record the run to, for chrome://tracing, ui.perfetto.dev and the simulator; %p in it becomes the "
       "process id; empty means no recording.",
       "a file that can be written", any_text(&Settings::trace), code(&Config::trace)},
      {"trace_bytes", "16M",
       "Bytes of memory of each worker for recorded events, allocated as they come; when it is full, further "
       "events are dropped and counted. K, M and G are understood.",
       "4K to 64G", bytes(&Settings::trace_bytes, 4U << 10, std::size_t{64} << 30), code(&Config::trace_bytes)},
      {"decision_file", "0",
       "Write the controller's decisions and reasons to a file in $XDG_RUNTIME_DIR/charm that only this user can read, "
       "for `charm top`; the file is removed at the end.",
       "0 or 1", boolean(&Settings::decision_file), code(&Config::decision_file)},
      {"counters", "auto",
       "Where measurements come from. auto: hardware counters where the machine has them, else software signals. "
       "record:FILE is auto and also writes every reading to FILE; replay:FILE reads such a file instead of the "
       "machine.",
       words(&Settings::counters), counters_choice(), code(&Config::counters)},
      {"counter_events", "",
       "Events to count instead of the catalogue's, separated by blanks: SOURCE=EVENT with SOURCE a fill source "
       "(own_l2, own_chiplet, other_chiplet, remote_cache, local_dram, remote_dram, other), instructions or cycles, "
       "and EVENT a libpfm name or type:config[:config1] in numbers. EVENT+EVENT counts the sum.",
       "a list of SOURCE=EVENT", any_text(&Settings::counter_events), code(&Config::counter_events)},
      {"memory_policy", "preferred",
       "Where new pages of a worker come from: preferred takes them from its node as long as that has free ones, bind "
       "only from its node (the CHARM paper's choice; if the node is full, the kernel kills the program), none leaves "
       "it to the system.",
       words(&Settings::memory_policy), choice(&Settings::memory_policy), code(&Config::memory_policy)},
      {"home", "near",
       "Where memory lies that has no place of its own. near: interleaved arrays alternate over the nodes that have "
       "workers, and tasks' stacks lie on the node of their worker. traffic: both follow the weights that charm malloc "
       "weights --publish or charm malloc sample has published.",
       words(&Settings::home), choice(&Settings::home), code(&Config::home)},
      {"surplus", "rest",
       "What workers do whose cpus are taken away while the program runs: rest (they run only jobs that are bound to "
       "them) or share the cpus that are left.",
       words(&Settings::surplus), choice(&Settings::surplus), code(&Config::surplus)},
      {"width", "full",
       "How many of the workers run. full: all. adaptive: as many as make the program fastest, by the work that it "
       "does in a second; the others rest, and run only jobs that are bound to them.",
       words(&Settings::width), choice(&Settings::width), code(&Config::width)},
      {"stealing", "near",
       "From whom an idle worker takes tasks. near: from workers of its own chiplet first, then from others, nearer "
       "ones more often. random: from any, one at a time, as runtimes do that know no chiplets; to compare with.",
       words(&Settings::stealing), choice(&Settings::stealing),
       [](const Config&) { return std::optional<std::string>(); }},
      {"monitor", "program", "What a controller measures: the whole program, or only what runs inside a charm::region.",
       words(&Settings::monitor), choice(&Settings::monitor), code(&Config::monitor)},
      {"watch_ms", "500",
       "Milliseconds between two checks which cpus the process may use (affinity, cgroup, hotplug); 0: never.",
       "0 to 1000000", integer(&Settings::watch_ms, 0, 1000000), code(&Config::watch_ms)},
      {"share", "auto",
       "Whether the program leases cores, so that it uses none that another program of the same user has leased. auto: "
       "charm run and the ranks of a program that is several processes lease cores, other programs of the library do "
       "not. A path names the table of leases in place of /dev/shm/charm-UID.",
       words(&Settings::share),
       [](Settings& s, const std::string& text) {
         const auto value = share_named(text);
         if (value) s.share = *value;
         return value.has_value();
       },
       code(&Config::share)},
      {"share_weight", "100", "Weight of the program when cores are divided among the programs that lease them.",
       "1 to 1000", integer(&Settings::share_weight, 1, 1000), code(&Config::share_weight)},
  };
  // A vector made of a list in braces would copy each row with all its texts.
  return {std::make_move_iterator(std::begin(rows)), std::make_move_iterator(std::end(rows))};
}

const std::vector<Row>& schema() {
  static const std::vector<Row> rows = all_rows();
  return rows;
}

std::string env_name(const std::string& setting) {
  std::string name = "CHARM_" + setting;
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

/// Variables that are read besides those of the settings.
constexpr const char* other_variables[] = {"CHARM_CONFIG", "CHARM_QUIET"};

struct Found {
  std::string value, from;
};

bool is_setting(const std::string& name) {
  for (const auto& row : schema()) {
    if (row.name == name) return true;
  }
  return false;
}

}  // namespace

std::optional<ChoiceWithFile<Share>> share_named(const std::string& text) {
  if (text.size() > 1 && text.front() == '/') return ChoiceWithFile<Share>{Share::file, text};
  const auto value = choice_named<Share>(text);
  if (!value || *value == Share::file) return std::nullopt;
  return ChoiceWithFile<Share>{*value, ""};
}

std::string counters_text(const ChoiceWithFile<Counters>& counters) {
  const std::string_view word = word_of(counters.choice);
  return std::string(word.substr(0, word.find("FILE"))) + counters.file;
}

std::vector<SettingDoc> settings_schema() {
  std::vector<SettingDoc> docs;
  for (const auto& row : schema())
    docs.push_back({row.name, row.default_value, row.doc, env_name(row.name), row.accepts});
  return docs;
}

namespace {

/// The parameters of controllers, which once were settings, and the policy that has them.
constexpr std::pair<std::string_view, std::string_view> former_settings[] = {{"CHARM_ADAPTIVE_", "adaptive"},
                                                                             {"CHARM_ALG1_", "charm-alg1"}};

void report_former_setting(std::string_view variable) {
  for (const auto& [prefix, policy] : former_settings) {
    if (!variable.starts_with(prefix)) continue;
    std::string parameter(variable.substr(prefix.size()));
    std::transform(parameter.begin(), parameter.end(), parameter.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    notice("variable-" + std::string(variable),
           "the variable " + std::string(variable) + " is no setting any more and is ignored; write CHARM_POLICY=" +
               std::string(policy) + ":" + parameter + "=VALUE (docs/controller.md)");
  }
}

}  // namespace

void report_mistyped_variables() {
  char** entry = environ;
  while (entry != nullptr && *entry != nullptr && !std::string_view(*entry).starts_with("CHARM_")) ++entry;
  if (entry == nullptr || *entry == nullptr) return;  // mostly; each start would pay for the list of names
  std::vector<std::string> known(std::begin(other_variables), std::end(other_variables));
  for (const auto& row : schema()) known.push_back(env_name(row.name));
  for (const auto& [variable, meant] : mistyped_variables(environ, known)) {
    notice("variable-" + variable, "the variable " + variable + " is no setting and is ignored; is " + meant +
                                       " meant? ('charm settings' lists them)");
  }
  for (; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    report_former_setting(text.substr(0, text.find('=')));
  }
}

namespace {

/// What the program says of a setting.
std::optional<std::string> given(const Row& row, const Config& config) {
  std::optional<std::string> value = row.from_code(config);
  for (const auto& [name, text] : config.named) {
    if (name == row.name) value = text;
  }
  return value;
}

void check_names(const Config& config) {
  for (const auto& setting : config.named) {
    if (!is_setting(setting.first))
      throw Error(Errc::bad_config, "'" + setting.first + "' (from code) is no setting",
                  "see docs/settings.md for the names");
  }
}

void parse(const Row& row, Settings& settings, const Found& found) {
  if (!row.parse(settings, found.value)) {
    throw Error(Errc::bad_config,
                "setting " + row.name + " = '" + found.value + "' (from " + found.from + ") is not usable",
                "give " + row.accepts);
  }
}

}  // namespace

std::optional<Difference> difference(const Settings& running, int workers, const Config& config) {
  check_names(config);
  std::optional<Difference> first;
  for (std::size_t i = 0; i < schema().size(); ++i) {
    const Row& row = schema()[i];
    const std::optional<std::string> wanted = given(row, config);
    if (!wanted) continue;
    // One value may be written in several ways, so parsed ones are compared.
    Settings here;
    Settings there;
    parse(row, there, {*wanted, "code"});
    const std::string value = row.name == "workers" ? std::to_string(workers) : running.origins[i].value;
    row.parse(here, value);
    const bool any = row.name == "workers" && there.workers == 0;
    if (!any && !(here == there) && !first) first = {row.name, value, running.origins[i].from, *wanted};
  }
  return first;
}

Settings resolve(const Config& config, const std::function<const char*(const char*)>& env) {
  auto look_up = [&](const std::string& name) { return env ? env(name.c_str()) : base::environment(name.c_str()); };
  if (!env) report_mistyped_variables();
  std::map<std::string, Found> file;
  if (const char* path = look_up("CHARM_CONFIG"); path != nullptr && *path != '\0') {
    for (auto& [name, value, where] : read_settings_file(path, is_setting)) file[name] = {value, where};
  }

  check_names(config);
  Settings settings;
  for (const auto& row : schema()) {
    Found found{row.default_value, "default"};
    if (auto it = file.find(row.name); it != file.end()) found = it->second;
    if (const char* value = look_up(env_name(row.name)); value != nullptr) found = {value, env_name(row.name)};
    if (auto value = given(row, config)) found = {*value, "code"};
    parse(row, settings, found);
    settings.origins.push_back({row.name, found.value, found.from});
  }
  return settings;
}

}  // namespace charm::base
