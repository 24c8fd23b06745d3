#include "os/perf/perf_access.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "os/files/system_files.hpp"
#include "os/machine/cpu_identity.hpp"

namespace charm::os {
namespace {

std::optional<int> number_in(const std::string& path) {
  const std::string text = read_text(path);
  std::string_view rest = text;
  return next_number<int>(rest);
}

std::uint64_t hexadecimal(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

}  // namespace

bool PerfAccess::has_core_unit() const {
  return std::any_of(devices.begin(), devices.end(), [](const std::string& name) {
    return name == "cpu" || name == "cpu_core" || name.starts_with("armv8") || name.starts_with("armv9");
  });
}

PerfAccess read_perf_access(const std::string& root) {
  PerfAccess access;
  access.paranoid = number_in(path_below(root, "proc/sys/kernel/perf_event_paranoid"));
  access.user_access = number_in(path_below(root, "sys/bus/event_source/devices/cpu/rdpmc"));
  if (!access.user_access) access.user_access = number_in(path_below(root, "proc/sys/kernel/perf_user_access"));

  const std::string status = read_text(path_below(root, "proc/self/status"));
  access.seccomp = value_of(status, "Seccomp:").value_or("").starts_with('2');
  constexpr std::uint64_t sys_admin = 1ULL << 21U;
  constexpr std::uint64_t perfmon = 1ULL << 38U;
  access.privileged = (hexadecimal(value_of(status, "CapEff:").value_or("")) & (sys_admin | perfmon)) != 0;
  access.guest = read_cpu_identity(root).guest;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(path_below(root, "sys/bus/event_source/devices"), ignored)) {
    access.devices.push_back(entry.path().filename().string());
  }
  std::sort(access.devices.begin(), access.devices.end());
  return access;
}

std::string uncore_kind(const std::string& device) {
  struct Kind {
    const char* prefix;
    const char* part;  // that must follow somewhere behind it
    const char* kind;
  };
  static constexpr std::array<Kind, 12> kinds = {{{"amd_df", "", "amd_df"},
                                                  {"amd_umc", "", "amd_umc"},
                                                  {"amd_l3", "", "amd_l3"},
                                                  {"uncore_imc", "", "imc"},
                                                  {"uncore_upi", "", "upi"},
                                                  {"uncore_cha", "", "cha"},
                                                  {"hisi_sccl", "_hha", "hisi_hha"},
                                                  {"hisi_sccl", "_ddrc", "hisi_ddrc"},
                                                  {"hisi_sccl", "_l3c", "hisi_l3c"},
                                                  {"hisi_sicl", "", "hisi_sicl"},
                                                  {"arm_cmn", "", "cmn"},
                                                  {"arm_dsu", "", "dsu"}}};
  for (const Kind& kind : kinds) {
    if (device.starts_with(kind.prefix) && device.find(kind.part) != std::string::npos) return kind.kind;
  }
  return "";
}

}  // namespace charm::os
