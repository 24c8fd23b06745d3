#include "tools/memory_traffic/source.hpp"

#include <charm/error.hpp>

#include <array>

#include "base/registry.hpp"
#include "tools/memory_traffic/source_kinds.hpp"

namespace charm::memory_traffic {
namespace {

template <const char* name>
SourceOrReason uncore(const Surroundings& around, const std::string& /*argument*/) {
  return open_uncore(around, name);
}
constexpr char amd[] = "amd";
constexpr char intel[] = "intel";
constexpr char hisilicon[] = "hisilicon";
constexpr char arm[] = "arm";

constexpr std::array kinds = {
    SourceKind{amd, "", "AMD's memory controllers and data fabric (amd_umc, amd_df)", true, uncore<amd>},
    SourceKind{intel, "", "Intel's memory controllers and socket links (uncore_imc, uncore_upi)", true, uncore<intel>},
    SourceKind{hisilicon, "", "HiSilicon's memory controllers and home agents (hisi_ddrc, hisi_hha)", true,
               uncore<hisilicon>},
    SourceKind{arm, "", "Arm's mesh (arm_cmn): requests to memory", true, uncore<arm>},
    SourceKind{"resctrl", "", "the kernel's bandwidth monitoring by last-level cache (/sys/fs/resctrl)", true,
               open_resctrl},
    SourceKind{"replay", "FILE", "a recording that charm malloc sample --record wrote, over and over", false,
               open_recording},
};

}  // namespace

std::span<const SourceKind> source_kinds() { return kinds; }

std::vector<std::string> source_words() {
  std::vector<std::string> words = {"auto"};
  for (const SourceKind& kind : kinds)
    words.push_back(std::string(kind.name) + (kind.argument.empty() ? "" : ":" + std::string(kind.argument)));
  return words;
}

Surroundings live_surroundings(const Model& model, const Machine& machine) {
  return {&model, &machine, "/", os::system_uncore_events(), os::read_cpu_identity(), os::read_perf_access()};
}

Bandwidths no_traffic(const Model& model) {
  Bandwidths none;
  none.out.assign(model.domains.size(), 0);
  none.in.assign(model.domains.size(), 0);
  none.memory.assign(model.memories.size(), 0);
  return none;
}

std::unique_ptr<TrafficSource> open_source(const Surroundings& around, const std::string& words) {
  const std::size_t colon = words.find(':');
  const std::string name = words.substr(0, colon);
  const std::string argument = colon == std::string::npos ? "" : words.substr(colon + 1);
  std::string reasons;
  const auto attempt = [&](const SourceKind& kind) {
    SourceOrReason opened = kind.open(around, argument);
    if (!opened.source) reasons += (reasons.empty() ? "" : "; ") + std::string(kind.name) + ": " + opened.why_not;
    return std::move(opened.source);
  };
  if (words == "auto") {
    for (const SourceKind& kind : kinds) {
      if (!kind.automatic) continue;
      if (auto source = attempt(kind)) return source;
    }
  } else {
    const SourceKind& kind = base::named(source_kinds(), name, "source of traffic");
    if (kind.argument.empty() != argument.empty())
      throw Error(Errc::bad_config, "the source of traffic '" + words + "' is not usable",
                  kind.argument.empty() ? "'" + name + "' takes nothing behind a colon"
                                        : "give " + name + ":" + std::string(kind.argument));
    if (auto source = attempt(kind)) return source;
    if (!argument.empty())
      throw Error(Errc::bad_input, "the source of traffic '" + words + "' is not usable: " + reasons,
                  "record one with 'charm malloc sample --record FILE'");
  }
  throw Error(Errc::system, "no source measures the memory traffic of this machine (" + reasons + ")",
              "weights without it: charm malloc weights --publish");
}

}  // namespace charm::memory_traffic
