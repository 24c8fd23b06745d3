#include "os/perf_access.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace charm::os {
namespace {

std::optional<int> number_in(const std::string& path) {
  std::ifstream in(path);
  int value = 0;
  if (!(in >> value)) return std::nullopt;
  return value;
}

std::uint64_t hexadecimal(const std::string& text) {
  std::uint64_t value = 0;
  const auto start = std::min(text.find_first_not_of(" \t"), text.size());
  std::from_chars(text.data() + start, text.data() + text.size(), value, 16);
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
  access.paranoid = number_in(root + "proc/sys/kernel/perf_event_paranoid");
  access.user_access = number_in(root + "sys/bus/event_source/devices/cpu/rdpmc");
  if (!access.user_access) access.user_access = number_in(root + "proc/sys/kernel/perf_user_access");

  std::ifstream status(root + "proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Seccomp:")) access.seccomp = line.find('2') != std::string::npos;
    if (line.starts_with("CapEff:")) {
      constexpr std::uint64_t sys_admin = 1ULL << 21U;
      constexpr std::uint64_t perfmon = 1ULL << 38U;
      access.privileged = (hexadecimal(line.substr(7)) & (sys_admin | perfmon)) != 0;
    }
  }
  std::ifstream cpuinfo(root + "proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line) && !access.guest;) {
    if (line.starts_with("flags")) access.guest = (line + " ").find(" hypervisor ") != std::string::npos;
  }
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(root + "sys/bus/event_source/devices", ignored)) {
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
