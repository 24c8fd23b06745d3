// Identifies the core design of this machine, for tables that depend on it. Files are read below `root`.
#pragma once

#include <string>

namespace charm::os {

/// On Arm `family` is the implementer and `model` the part number of MIDR_EL1; `stepping` is the variant.
struct CpuIdentity {
  std::string vendor;  ///< "intel", "amd", "arm", "hisilicon"; else the kernel's word, or empty
  int family = -1;
  int model = -1;
  int stepping = -1;
  bool guest = false;  ///< a hypervisor runs this system (known on x86)
};

CpuIdentity read_cpu_identity(const std::string& root = "/");

}  // namespace charm::os
