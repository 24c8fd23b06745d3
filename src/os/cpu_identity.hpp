// Which core design this is, for tables that depend on it. Read below `root`.
#pragma once

#include <string>

namespace charm::os {

/// On Arm `family` is the implementer and `model` the part number of MIDR_EL1; `stepping` is the variant.
struct CpuIdentity {
  std::string vendor;  ///< "intel", "amd", "arm", "hisilicon"; else what the kernel says, or empty
  int family = -1;
  int model = -1;
  int stepping = -1;
  bool guest = false;  ///< a hypervisor runs this system, as x86 cpus tell
};

CpuIdentity read_cpu_identity(const std::string& root = "/");

}  // namespace charm::os
