// Machines with several kinds of cores, as Linux shows them in /sys; numbers of cpus are those that real ones have.
#pragma once

#include <charm/machine.hpp>

#include "topology/sysfs_tree.hpp"

namespace charm::test {

/// NVIDIA GB10: two clusters, each of five A725 and five X925 behind an L3 of its own. The A725 have the lower numbers.
inline Machine gb10() {
  const SysfsTree tree(sysfs_cpus(20,
                                  [](int i, SysfsCpu& cpu) {
                                    cpu.l3 = i / 10;
                                    cpu.l3_kib = i < 10 ? 16384 : 8192;
                                    cpu.capacity = i / 5 % 2 == 0 ? 718 : i < 10 ? 997 : 1024;
                                  }),
                       {{}}, arm_cpuinfo);
  return Machine::from(tree.root());
}

/// Intel Core Ultra 288V: four performance cores behind an L3, and four low-power ones without.
inline Machine core_ultra_288v() {
  const SysfsTree tree(sysfs_cpus(8,
                                  [](int i, SysfsCpu& cpu) {
                                    if (i < 4) cpu.l3 = 0;
                                    cpu.l3_kib = 12288;
                                    cpu.l2 = i < 4 ? i : 4;
                                    cpu.max_mhz = i < 4 ? 5100 : 3700;
                                  }),
                       {{}});
  tree.type("cpu_core", "0-3");
  tree.type("cpu_atom", "4-7");
  return Machine::from(tree.root());
}

/// Apple M1 Ultra under Linux: two dies, each of a cluster of two efficiency cores and two of four performance cores.
/// There is no L3; each cluster shares an L2.
inline Machine m1_ultra() {
  const SysfsTree tree(sysfs_cpus(20,
                                  [](int i, SysfsCpu& cpu) {
                                    const int in_die = i % 10;
                                    cpu.cluster = 3 * (i / 10) + (in_die < 2 ? 0 : (in_die + 2) / 4);
                                    cpu.l2 = cpu.cluster;
                                    cpu.l2_kib = in_die < 2 ? 4096 : 12288;
                                    cpu.capacity = in_die < 2 ? 485 : 1024;
                                  }),
                       {{}}, "processor\t: 0\nCPU implementer\t: 0x61\nCPU part\t: 0x028\n");
  return Machine::from(tree.root());
}

/// AMD Ryzen 9 7950X3D with favoured cores: chiplets of one kind, the one without the stacked cache faster.
inline Machine ryzen_7950x3d() {
  const SysfsTree tree(sysfs_cpus(16,
                                  [](int i, SysfsCpu& cpu) {
                                    cpu.l3 = i / 8;
                                    cpu.l3_kib = i < 8 ? 98304 : 32768;
                                    cpu.max_mhz = i < 8 ? 5250 : 5750;
                                    cpu.highest_perf = i < 8 ? 151 + i : 196 + 5 * (i % 8);
                                  }),
                       {{}});
  return Machine::from(tree.root());
}

}  // namespace charm::test
