// Control groups and cpus of the machine that tests change, and that are as before at the end.
#pragma once

#include <charm/id_set.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <unistd.h>

#include <sys/stat.h>

namespace charm::test {

/// A control group of our own, left again at the end.
class Group {
 public:
  /// In the root: a group with processes of its own cannot have groups with cpusets below it (cgroup v2).
  explicit Group(const std::string& name) : path_(root + name) {
    std::string line;
    std::getline(std::ifstream("/proc/self/cgroup"), line);  // "0::/path"
    came_from_ = root + line.substr(std::min(line.size(), line.rfind(':') + 2));
    write(root + "cgroup.subtree_control", "+cpuset");
    write(root + "cgroup.subtree_control", "+cpu");
    ok_ = mkdir(path_.c_str(), 0755) == 0;
  }
  ~Group() {
    write(came_from_ + "/cgroup.procs", std::to_string(getpid()));
    rmdir(path_.c_str());
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  bool grant(const CpuSet& cpus) { return ok_ && write(path_ + "/cpuset.cpus", cpus.to_text()); }
  bool enter() { return take(getpid()); }
  bool take(int process) { return write(path_ + "/cgroup.procs", std::to_string(process)); }
  /// A file of the group, as "cpu.max".
  bool set(const std::string& file, const std::string& text) { return ok_ && write(path_ + "/" + file, text); }

 private:
  static bool write(const std::string& path, const std::string& text) {
    std::ofstream file(path);
    file << text << std::flush;
    return file.good();
  }
  static inline const std::string root = "/sys/fs/cgroup/";
  std::string path_, came_from_;
  bool ok_ = false;
};

/// A cpu that is on again at the end.
class Switch {
 public:
  explicit Switch(int cpu) : path_("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/online") {}
  ~Switch() { set(true); }
  Switch(const Switch&) = delete;
  Switch& operator=(const Switch&) = delete;
  bool set(bool on) {
    std::ofstream file(path_);
    file << (on ? "1" : "0") << std::flush;
    return file.good();
  }

 private:
  std::string path_;
};

}  // namespace charm::test
