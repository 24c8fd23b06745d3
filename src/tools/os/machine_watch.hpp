// What others did on the machine while this process measured something.
#pragma once

#include <charm/id_set.hpp>

#include <map>
#include <string>
#include <vector>

#include "tools/os/machine_use.hpp"

namespace charm::os {

/// The machine before and after what was measured.
struct MachineActivity {
  MachineUse before, after;
  double own_cpu_s = 0;  ///< cpu time of this process and of its children between the two
  int own_process = 0;   ///< this process's id, so that it does not count as another program
  std::map<std::string, CpuSet> governors;
};

/// Looks at the machine when it is made, and again when it is asked.
class MachineWatch {
 public:
  MachineWatch();
  [[nodiscard]] MachineActivity so_far() const;

 private:
  MachineActivity activity_;
  double own_cpu_s_;
};

struct OthersUse {
  double cpus = 0;    ///< cpus' worth of time that other programs took
  double stolen = 0;  ///< share of all cpus' time that the hypervisor took
  std::string who;    ///< "cc1plus (process 123) 0.8, sshd (process 7) 0.1": those that took most, in cpus
};
OthersUse others_use(const MachineActivity& activity);

/// That use in sentences, without what a quiet machine does too: empty where measurements were not disturbed by it.
std::vector<std::string> others_at_work(const MachineActivity& activity);

}  // namespace charm::os
