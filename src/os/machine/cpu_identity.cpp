#include "os/machine/cpu_identity.hpp"

#include <cstdlib>
#include <sstream>
#include <string>

#include "os/files/system_files.hpp"

namespace charm::os {

CpuIdentity read_cpu_identity(const std::string& root) {
  CpuIdentity cpu;
  std::istringstream in(read_text(path_below(root, "proc/cpuinfo")));
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) {
      if (line.empty() && cpu.family >= 0) break;  // all cpus are taken to be of the first one's kind
      continue;
    }
    const std::string name = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    const auto begin = line.find_first_not_of(" \t", colon + 1);
    const std::string value = begin == std::string::npos ? "" : line.substr(begin);
    const auto number = [&] { return static_cast<int>(std::strtol(value.c_str(), nullptr, 0)); };
    if (name == "vendor_id") {
      cpu.vendor = value == "GenuineIntel" ? "intel" : value == "AuthenticAMD" ? "amd" : value;
    } else if (name == "cpu family" || name == "CPU implementer") {
      cpu.family = number();
    } else if (name == "model" || name == "CPU part") {
      cpu.model = number();
    } else if (name == "stepping" || name == "CPU variant") {
      cpu.stepping = number();
    } else if (name == "flags") {
      cpu.guest = (" " + value + " ").find(" hypervisor ") != std::string::npos;
    }
    if (name == "CPU implementer") {
      cpu.vendor = cpu.family == 0x41 ? "arm" : cpu.family == 0x48 ? "hisilicon" : value;
    }
  }
  return cpu;
}

}  // namespace charm::os
