#include "counters/refusal.hpp"

#include <cerrno>
#include <cstring>

namespace charm::counters {
namespace {

const char* const allow_in_container =
    "allow perf_event_open in the container (Docker: --cap-add PERFMON, or a seccomp profile that permits it)";

std::string code(int error) {
  switch (error) {
    case ENOENT:
      return "ENOENT";
    case ENODEV:
      return "ENODEV";
    case EOPNOTSUPP:
      return "EOPNOTSUPP";
    case EACCES:
      return "EACCES";
    case EPERM:
      return "EPERM";
    case ENOSYS:
      return "ENOSYS";
    case EINVAL:
      return "EINVAL";
    case EMFILE:
      return "EMFILE";
    case ENFILE:
      return "ENFILE";
    case ENOSPC:
      return "ENOSPC";
    case EBUSY:
      return "EBUSY";
    default:
      return std::strerror(error);
  }
}

Refusal no_unit(int error, const os::PerfAccess& access) {
  if (access.has_core_unit()) {
    return {"the kernel's counter unit does not know the event (" + code(error) + ")",
            "name other events in counter_events"};
  }
  const std::string found = "the kernel drives no counter unit of the cores (" + code(error) +
                            "; no cpu device in /sys/bus/event_source/devices)";
  if (access.guest) {
    return {found + ", and this is a virtual machine",
            "give the virtual machine a PMU (QEMU: -cpu host,pmu=on), or take a metal instance"};
  }
  return {found, "use a kernel with the driver of this machine's counters"};
}

Refusal no_right(int error, const os::PerfAccess& access) {
  const int paranoid = access.paranoid.value_or(2);
  // A level above 2 is a patch of Debian, Ubuntu and Android: without rights no event can be opened.
  if (paranoid > 2 && !access.privileged) {
    return {"kernel.perf_event_paranoid is " + std::to_string(paranoid) + ", which keeps perf events from users (" +
                code(error) + ")",
            "set it to 2 (sysctl kernel.perf_event_paranoid=2), or give the program CAP_PERFMON"};
  }
  const std::string level =
      "kernel.perf_event_paranoid is " + (access.paranoid ? std::to_string(paranoid) : std::string("not readable"));
  if (access.seccomp) {
    return {"a seccomp filter forbids perf_event_open (" + code(error) + "; " + level + ")", allow_in_container};
  }
  return {"a security module or the lack of a capability forbids perf_event_open (" + code(error) + "; " + level + ")",
          "give the program CAP_PERFMON, or allow perf_event in the security module's policy"};
}

}  // namespace

Refusal explain(int error, const os::PerfAccess& access) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return no_unit(error, access);
    case EACCES:
    case EPERM:
      return no_right(error, access);
    case ENOSYS:
      if (access.paranoid || access.seccomp) {
        return {"a sandbox hides perf_event_open (ENOSYS)", allow_in_container};
      }
      return {"the kernel has no perf events (ENOSYS, and no kernel.perf_event_paranoid)",
              "use a kernel with CONFIG_PERF_EVENTS"};
    case EMFILE:
    case ENFILE:
      return {"too many files are open (" + code(error) + "); each worker needs a descriptor an event",
              "raise the hard limit of open files (ulimit -Hn); the soft one is raised as far as that allows"};
    case ENOSPC:
    case EBUSY:
      return {"another program holds the counters (" + code(error) + ")",
              "stop it, or free the counter of the NMI watchdog (sysctl kernel.nmi_watchdog=0)"};
    default:
      return {"perf_event_open fails: " + std::string(std::strerror(error)), ""};
  }
}

}  // namespace charm::counters
