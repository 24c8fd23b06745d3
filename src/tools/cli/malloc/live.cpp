#include "tools/cli/malloc/live.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "os/files/system_files.hpp"
#include "tools/memory_traffic/publish.hpp"

namespace charm::cli {
namespace {

std::uint64_t now_ms() {
  using namespace std::chrono;
  return static_cast<std::uint64_t>(duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count());
}

memory_traffic::SamplerOptions options_of(const WeightSource& from) {
  memory_traffic::SamplerOptions options;
  options.demand_gb_per_s = from.demand_gb_per_s;
  return options;
}

}  // namespace

LiveWeights::LiveWeights(const WeightSource& from, const std::string& words, const std::string& path, bool for_all)
    : from_(from),
      kind_(words),
      source_(memory_traffic::open_source(memory_traffic::live_surroundings(from_.model, from_.machine), words)),
      sampler_(from_.model, from_.machine, *from_.policy, options_of(from)),
      programs_(from_.model, memory_traffic::OwnPrograms(from_.model),
                source_->is_live() ? memory_traffic::OwnCounts::of_this_machine(from_.model, from_.machine) : nullptr),
      file_(os::SequencedFile::open(path, for_all)),
      reading_(memory_traffic::no_traffic(from_.model)),
      own_(memory_traffic::no_traffic(from_.model)) {
  source_->read(base::monotonic_seconds());
  programs_.part_of(reading_, base::monotonic_seconds(), sampler_.page());
  write(sampler_.page(), true);
}

bool LiveWeights::step() {
  const double now_s = base::monotonic_seconds();
  reading_ = source_->read(now_s);
  // A recording does not hold the traffic of programs that run now.
  own_ = source_->is_live() ? programs_.part_of(reading_, now_s, sampler_.page())
                            : memory_traffic::no_traffic(from_.model);
  const bool changed = sampler_.add(reading_, own_);
  write(sampler_.page(), true);
  return changed;
}

void LiveWeights::leave() {
  write(memory_traffic::weight_page(from_.model, from_.machine, *from_.policy, capacities(from_.model),
                                    from_.demand_gb_per_s),
        false);
}

void LiveWeights::write(memory::WeightPage page, bool live) {
  if (live) {
    page.sampled_ms = now_ms();
    const std::string name = kind_ == "auto" ? source_->description() : kind_;
    page.source.fill('\0');
    name.copy(page.source.data(), page.source.size() - 1);
  }
  if (!file_->is_still_there())
    throw Error(Errc::system, "somebody has replaced " + file_->path(), "publish weights elsewhere with --file");
  if (!file_->write(memory_traffic::page_bytes(page)))
    throw Error(Errc::system, "the weights in " + file_->path() + " cannot be written", "is the file system full?");
}

std::string state_of_weights(const std::string& path) {
  const std::string bytes = os::read_text(path);
  if (bytes.empty()) return "";
  memory::WeightPage page;
  try {
    page = memory_traffic::page_from_bytes(bytes, path);
  } catch (const Error&) {
    return "not usable: of another version, or damaged";
  }
  std::string text = page.policy.data();
  if (page.sampled_ms == 0) return text + ", which do not follow traffic";
  const double age = static_cast<double>(std::max(now_ms(), page.sampled_ms) - page.sampled_ms) / 1000;
  text += fmt::format(", by the traffic of {}, {:.1f} s ago", page.source.data(), age);
  if (!os::has_writer(path)) text += "; their sampler has ended";
  return text;
}

}  // namespace charm::cli
