// What Linux tells of the speed of cores, in files of /sys. They are read at every start, so that a file which the
// first cpu does not have is looked for once.
#include <array>
#include <string>
#include <utility>

#include "os/files/system_files.hpp"
#include "topology/core_kinds.hpp"

namespace charm::topology {
namespace {

// Processors with favoured cores are those of desktops and notebooks; reading this file may interrupt the cpu.
constexpr std::size_t most_cores_with_favoured = 64;
constexpr int most_reported = 1 << 30;

/// As Linux names the performance counters of each type of cores; the slowest first.
constexpr std::array types = {"cpu_lowpower", "cpu_atom", "cpu_core"};

void read_types(Survey& survey, const std::string& root) {
  for (std::size_t rank = 0; rank < types.size(); ++rank) {
    const auto text = os::first_line(os::path_below(root, std::string("sys/devices/") + types[rank] + "/cpus"));
    const auto cpus = text ? CpuSet::try_parse(*text) : std::nullopt;
    if (!cpus) continue;
    for (SurveyCore& core : survey.cores) {
      if (core.cpus.intersects(*cpus)) core.rank = static_cast<int>(rank);
    }
  }
}

void read_of_each(Survey& survey, const std::string& root, const char* file, int SurveyCore::* field, int unit) {
  for (SurveyCore& core : survey.cores) {
    const std::string cpu = "sys/devices/system/cpu/cpu" + std::to_string(core.cpus.front()) + "/";
    std::array<char, 64> buffer{};
    std::string_view text = os::read_start(os::path_below(root, cpu + file), buffer);
    const auto value = os::next_number<int>(text);
    if (value && *value > 0 && *value < most_reported) core.*field = *value / unit;
    if (!value && &core == &survey.cores.front()) return;
  }
}

}  // namespace

void read_core_speeds(Survey& survey, const std::string& root) {
  read_types(survey, root);
  read_of_each(survey, root, "cpu_capacity", &SurveyCore::capacity, 1);
  read_of_each(survey, root, "cpufreq/cpuinfo_max_freq", &SurveyCore::max_mhz, 1000);
  if (survey.cores.size() <= most_cores_with_favoured)
    read_of_each(survey, root, "acpi_cppc/highest_perf", &SurveyCore::highest_perf, 1);
}

}  // namespace charm::topology
