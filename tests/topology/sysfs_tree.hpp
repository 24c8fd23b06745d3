// A sysfs tree as Linux shows a machine, made from a description in a test: any sockets, caches and nodes, sensible or
// not, in a temporary folder that goes with the object.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/folder.hpp"

namespace charm::test {

struct SysfsCpu {
  int socket = 0, core = 0, node = 0;
  int l3 = -1;  ///< -1: no cache is told
  int l3_kib = 32768;
  bool online = true;
  int capacity = 0;      ///< cpu_capacity; 0: not told
  int cluster = -1;      ///< -1: no cluster is told
  int max_mhz = 0;       ///< cpuinfo_max_freq; 0: not told
  int highest_perf = 0;  ///< of CPPC; 0: not told
  int l2 = -1;           ///< cpus with the same number share one; -1: none is told
  int l2_kib = 1024;
};

/// `count` cpus, each a core, as `shape` says.
template <typename ShapeOf>
std::vector<SysfsCpu> sysfs_cpus(int count, ShapeOf shape) {
  std::vector<SysfsCpu> all;
  for (int i = 0; i < count; ++i) {
    SysfsCpu cpu;
    cpu.core = i;
    shape(i, cpu);
    all.push_back(cpu);
  }
  return all;
}

struct SysfsNode {
  int mib = 1024;
};

/// /proc/cpuinfo of the kind of processor.
inline constexpr const char* paper_cpuinfo = "processor\t: 0\nmodel name\t: A machine on paper\n";
inline constexpr const char* arm_cpuinfo = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd4d\n";

class SysfsTree {
 public:
  explicit SysfsTree(const std::vector<SysfsCpu>& cpus, const std::vector<SysfsNode>& nodes,
                     const std::string& cpuinfo = paper_cpuinfo)
      : cpus_(cpus) {
    const auto system = root_ / "sys/devices/system";
    const std::string all = "0-" + std::to_string(cpus.size() - 1);
    write(system / "cpu/possible", all);
    write(system / "cpu/present", all);
    write(system / "cpu/online", list([](const SysfsCpu& c) { return c.online; }));
    for (std::size_t i = 0; i < cpus.size(); ++i) write_cpu(system / "cpu" / ("cpu" + std::to_string(i)), cpus[i]);
    write(system / "node/online", "0-" + std::to_string(nodes.size() - 1));
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const auto here = system / "node" / ("node" + std::to_string(n));
      write(here / "cpumap", mask([&](const SysfsCpu& c) { return c.online && c.node == static_cast<int>(n); }));
      write(here / "meminfo",
            "Node " + std::to_string(n) + " MemTotal: " + std::to_string(nodes[n].mib * 1024) + " kB");
      std::string distance;
      for (std::size_t other = 0; other < nodes.size(); ++other) distance += other == n ? "10 " : "20 ";
      write(here / "distance", distance);
    }
    write(root_ / "proc/meminfo", "MemTotal: 1000000 kB");
    write(root_ / "proc/cpuinfo", cpuinfo);
  }
  [[nodiscard]] std::string root() const { return root_.string(); }
  /// Of a file below the cpus ("cpu3/cache/index3/shared_cpu_map") or nodes ("node0/cpumap").
  [[nodiscard]] std::filesystem::path file(const std::string& name) const {
    const char* folder = name.starts_with("node/") ? "" : name.starts_with("node") ? "node" : "cpu";
    return root_ / "sys/devices/system" / folder / name;
  }
  /// What the firmware says that a node's memory gives to the cpus of another.
  void tell(int node, int initiator, int mb_per_s, int ns) const {
    const auto access = file("node" + std::to_string(node)) / "access0/initiators";
    for (const char* way : {"read", "write"}) {
      write(access / (std::string(way) + "_bandwidth"), std::to_string(mb_per_s));
      write(access / (std::string(way) + "_latency"), std::to_string(ns));
    }
    std::filesystem::create_directory(access / ("node" + std::to_string(initiator)));
  }
  /// The cpus of a type of cores, as Intel's are told apart: "cpu_core".
  void type(const std::string& name, const std::string& cpus) const {
    write(root_ / "sys/devices" / name / "cpus", cpus);
  }
  void replace(const std::string& name, const std::string& text) const { write(file(name), text); }
  void remove(const std::string& name) const { std::filesystem::remove_all(file(name)); }

 private:
  static void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }

  template <typename Which>
  std::string list(Which which) const {
    std::string text;
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
      if (which(cpus_[i])) text += (text.empty() ? "" : ",") + std::to_string(i);
    }
    return text;
  }

  /// The kernel's mask format: 32-bit words in hexadecimal, the highest first.
  template <typename Which>
  std::string mask(Which which) const {
    std::vector<unsigned> words((cpus_.size() + 31) / 32);
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
      if (which(cpus_[i])) words[i / 32] |= 1U << (i % 32);
    }
    std::string text;
    for (std::size_t i = words.size(); i-- > 0;) {
      char word[16];
      std::snprintf(word, sizeof word, "%08x", words[i]);
      text += (text.empty() ? "" : ",") + std::string(word);
    }
    return text;
  }

  void write_cpu(const std::filesystem::path& here, const SysfsCpu& cpu) const {
    std::filesystem::create_directories(here);
    write(here / "online", cpu.online ? "1" : "0");
    if (!cpu.online) return;  // the kernel takes the rest away
    const auto online = [&](auto same) {
      return mask([&](const SysfsCpu& other) { return other.online && same(other); });
    };
    write(here / "topology/core_id", std::to_string(cpu.core));
    write(here / "topology/physical_package_id", std::to_string(cpu.socket));
    const std::string core = online([&](const SysfsCpu& o) { return o.socket == cpu.socket && o.core == cpu.core; });
    const std::string socket = online([&](const SysfsCpu& o) { return o.socket == cpu.socket; });
    for (const char* name : {"core_cpus", "thread_siblings"}) write(here / "topology" / name, core);
    for (const char* name : {"package_cpus", "core_siblings"}) write(here / "topology" / name, socket);
    if (cpu.cluster >= 0) {
      write(here / "topology/cluster_id", std::to_string(cpu.cluster));
      write(here / "topology/cluster_cpus", online([&](const SysfsCpu& o) { return o.cluster == cpu.cluster; }));
    }
    if (cpu.capacity > 0) write(here / "cpu_capacity", std::to_string(cpu.capacity));
    if (cpu.max_mhz > 0) write(here / "cpufreq/cpuinfo_max_freq", std::to_string(cpu.max_mhz * 1000));
    if (cpu.highest_perf > 0) write(here / "acpi_cppc/highest_perf", std::to_string(cpu.highest_perf));
    if (cpu.l2 >= 0) {
      write_cache(here / "cache/index2", "2", "Unified", std::to_string(cpu.l2_kib) + "K",
                  online([&](const SysfsCpu& o) { return o.l2 == cpu.l2; }));
    }
    if (cpu.l3 < 0) return;
    write_cache(here / "cache/index0", "1", "Data", "32K", core);
    write_cache(here / "cache/index3", "3", "Unified", std::to_string(cpu.l3_kib) + "K",
                online([&](const SysfsCpu& o) { return o.l3 == cpu.l3; }));
  }

  static void write_cache(const std::filesystem::path& index, const std::string& level, const std::string& type,
                          const std::string& size, const std::string& cpus) {
    write(index / "level", level);
    write(index / "type", type);
    write(index / "size", size);
    write(index / "shared_cpu_map", cpus);
    write(index / "coherency_line_size", "64");
    write(index / "number_of_sets", "64");
    write(index / "physical_line_partition", "1");
  }

  std::vector<SysfsCpu> cpus_;
  Folder folder_;
  std::filesystem::path root_ = folder_.path();
};

}  // namespace charm::test
