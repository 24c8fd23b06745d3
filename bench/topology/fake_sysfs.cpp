#include "fake_sysfs.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace charm::bench {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text << '\n';
}

/// The kernel's mask format: 32-bit words in hexadecimal, the highest first.
std::string mask(const std::vector<int>& cpus, int total) {
  std::vector<unsigned> words(static_cast<std::size_t>((total + 31) / 32));
  for (int cpu : cpus) words[static_cast<std::size_t>(cpu / 32)] |= 1U << (cpu % 32);
  std::string text;
  for (std::size_t i = words.size(); i-- > 0;) {
    char word[16];
    std::snprintf(word, sizeof word, "%08x", words[i]);
    if (!text.empty()) text += ',';
    text += word;
  }
  return text;
}

}  // namespace

FakeSysfs::FakeSysfs(const FakeMachine& m) {
  std::string pattern = (fs::temp_directory_path() / "charm_sysfs_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder: " + pattern);
  root_ = pattern;
  const int per_socket = m.chiplets * m.cores;
  const int cores = m.sockets * per_socket;
  const int total = cores * m.threads;
  auto cpus_of = [&](int first_core, int count) {
    std::vector<int> cpus;
    for (int t = 0; t < m.threads; ++t) {
      for (int c = first_core; c < first_core + count; ++c) cpus.push_back(t * cores + c);
    }
    return mask(cpus, total);
  };
  const fs::path cpu_root = root_ / "sys/devices/system/cpu";
  const fs::path node_root = root_ / "sys/devices/system/node";
  for (const char* name : {"possible", "present", "online"}) write(cpu_root / name, "0-" + std::to_string(total - 1));
  std::string cpuinfo;
  for (int cpu = 0; cpu < total; ++cpu) {
    const int core = cpu % cores;
    const int socket = core / per_socket;
    const fs::path here = cpu_root / ("cpu" + std::to_string(cpu));
    write(here / "online", "1");
    write(here / "topology/core_id", std::to_string(core % per_socket));
    write(here / "topology/physical_package_id", std::to_string(socket));
    for (const char* name : {"core_cpus", "thread_siblings"}) write(here / "topology" / name, cpus_of(core, 1));
    for (const char* name : {"package_cpus", "core_siblings"}) {
      write(here / "topology" / name, cpus_of(socket * per_socket, per_socket));
    }
    struct {
      const char *level, *type, *size;
      int first, count;
    } caches[] = {
        {"1", "Data", "32K", core, 1},
        {"1", "Instruction", "32K", core, 1},
        {"2", "Unified", "1024K", core, 1},
        {"3", "Unified", "32768K", core / m.cores * m.cores, m.cores},
    };
    for (int i = 0; i < 4; ++i) {
      const auto& cache = caches[i];
      const fs::path index = here / "cache" / ("index" + std::to_string(i));
      write(index / "level", cache.level);
      write(index / "type", cache.type);
      write(index / "size", cache.size);
      write(index / "shared_cpu_map", cpus_of(cache.first, cache.count));
      write(index / "coherency_line_size", "64");
      write(index / "number_of_sets", "64");
      write(index / "physical_line_partition", "1");
    }
    cpuinfo += "processor\t: " + std::to_string(cpu) + "\nvendor_id\t: AuthenticAMD\nmodel name\t: EPYC\n\n";
  }
  write(root_ / "proc/cpuinfo", cpuinfo);
  write(root_ / "proc/meminfo", "MemTotal: 1000000 kB");
  write(node_root / "online", "0-" + std::to_string(m.sockets - 1));
  for (int s = 0; s < m.sockets; ++s) {
    const fs::path here = node_root / ("node" + std::to_string(s));
    write(here / "cpumap", cpus_of(s * per_socket, per_socket));
    write(here / "meminfo", "Node " + std::to_string(s) + " MemTotal: 500000 kB");
    std::string distance;
    for (int other = 0; other < m.sockets; ++other) distance += other == s ? "10 " : "32 ";
    write(here / "distance", distance);
  }
}

FakeSysfs::~FakeSysfs() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

}  // namespace charm::bench
