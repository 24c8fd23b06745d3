#include "os/machine/machine_state.hpp"

#include <sys/stat.h>

#include "os/files/system_files.hpp"

namespace charm::os {
namespace {

/// Which file it is; of a program also since when it is as it is, because it may be written anew in its place.
std::string identity_of(const std::string& path, bool with_time) {
  struct stat known{};
  if (stat(path.c_str(), &known) != 0) return "-";
  std::string text = std::to_string(known.st_dev) + ":" + std::to_string(known.st_ino);
  if (with_time) {
    text += ":" + std::to_string(known.st_size) + ":" + std::to_string(known.st_mtim.tv_sec) + "." +
            std::to_string(known.st_mtim.tv_nsec);
  }
  return text;
}

}  // namespace

std::optional<MachineState> machine_state(const std::string& root) {
  const auto boot = first_line(path_below(root, "proc/sys/kernel/random/boot_id"));
  const auto cpus = first_line(path_below(root, "sys/devices/system/cpu/online"));
  const auto nodes = first_line(path_below(root, "sys/devices/system/node/online"));
  const auto online = cpus ? CpuSet::try_parse(*cpus) : std::nullopt;
  if (!boot || !online || online->empty()) return std::nullopt;
  MachineState state;
  state.online_cpus = *online;
  if (nodes) state.online_nodes = OsNodeSet::try_parse(*nodes).value_or(OsNodeSet());
  state.text = *boot + " cpus " + *cpus + " nodes " + nodes.value_or("-") + " mounts " +
               identity_of(path_below(root, "proc/self/ns/mnt"), false) + " sys " +
               identity_of(path_below(root, "sys/devices/system/cpu"), false) + " program " +
               identity_of(path_below(root, "proc/self/exe"), true);
  return state;
}

}  // namespace charm::os
