// The uncore units that the kernel has drivers for, as sysfs describes them (/sys/bus/event_source/devices), and the
// encoding of an event for one: each driver says by itself which bits of which word a term like "umask" takes.
#pragma once

#include <charm/id_set.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/os/uncore_events.hpp"

namespace charm::memory_traffic {

struct UncoreDevice {
  std::string name;  ///< "hisi_sccl3_ddrc0"
  std::string kind;  ///< os::uncore_kind: "hisi_ddrc"
  std::uint32_t type = 0;
  CpuSet cpus;                               ///< its cpumask: one cpu for each instance, by which it is opened
  std::map<std::string, std::string> terms;  ///< "event": "config:0-7,32-35"
  std::map<std::string, std::string> named;  ///< events that the driver names: "event=0x04,umask=0x03"
  std::map<std::string, double> bytes;       ///< of a count of those, where the driver tells (scale and unit)
};

/// Sorted by kind and the numbers in the name, so that instance 10 follows instance 9.
std::vector<UncoreDevice> uncore_devices(const std::string& root);

/// "event=0x0a,rdwrmask=0x1" as the device takes it; nothing where it has no such term or the value does not fit.
std::optional<os::UncoreEvent> encoded(const UncoreDevice& device, std::string_view text);

}  // namespace charm::memory_traffic
