#include "topology/hwloc_handle.hpp"

#include <charm/error.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "base/environment.hpp"
#include "os/processes/this_process.hpp"

namespace charm::topology {
namespace {

/// hwloc takes some of its options from the environment and from nowhere else. One at a time in a process; what was
/// there before is put back, since programs that are started later inherit it.
class HwlocVariable {
 public:
  /// \param value empty: the variable stays as it is.
  HwlocVariable(const char* name, const std::string& value) : name_(value.empty() ? nullptr : name) {
    if (name_ == nullptr) return;
    if (const char* before = std::getenv(name_)) before_ = before;
    setenv(name_, value.c_str(), 1);
  }
  ~HwlocVariable() {
    if (name_ == nullptr) return;
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  HwlocVariable(const HwlocVariable&) = delete;
  HwlocVariable& operator=(const HwlocVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// In a program that runs with more rights than its caller, hwloc must not read files that the caller names (as glibc
/// drops its own variables there).
void drop_variables_of_a_foreign_caller() {
  if (os::has_more_rights_than_caller()) os::forget_variables("HWLOC_");
}

enum class Backend { kernel, processors };

HwlocHandle fresh(bool kinds, Backend backend = Backend::kernel) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0)
    throw Error(Errc::system, "hwloc cannot be started", "check the memory limit");
  HwlocHandle handle(topology);
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
  // Each of the two backends alone would describe the machine; together the kernel's answers would win.
  hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                backend == Backend::kernel ? "x86" : "linux");
  unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;
  if (backend == Backend::kernel) flags |= HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;
#if HWLOC_API_VERSION >= 0x00020800
  if (!kinds) flags |= HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;
#else
  (void)kinds;
#endif
  hwloc_topology_set_flags(topology, flags);
  return handle;
}

/// hwloc prints boxes of text to stderr about broken firmware tables; what matters of them becomes notes. It has no
/// call for that, and looks at the variable when it first has something to say. A value that the user has set stays.
template <class Load>
auto quietly(Load load) {
  static std::mutex turn;
  const std::lock_guard<std::mutex> lock(turn);
  drop_variables_of_a_foreign_caller();
  const HwlocVariable quiet("HWLOC_HIDE_ERRORS", base::environment("HWLOC_HIDE_ERRORS") == nullptr ? "2" : "");
  return load();
}

/// Without hwloc's plugins, which a distribution may have installed: they know GPUs and other devices, which are not
/// asked for, and loading them with the libraries of X and OpenCL takes ten milliseconds. A path that the user has set
/// stays.
template <class Load>
auto plainly(Load load) {
  return quietly([&] {
    const bool wanted = base::environment("HWLOC_PLUGINS_PATH") != nullptr;
    const HwlocVariable none("HWLOC_PLUGINS_PATH", wanted ? "" : "/nonexistent");
    return load();
  });
}

HwlocHandle loaded(HwlocHandle handle, bool ready = true) {
  return ready && hwloc_topology_load(handle.get()) == 0 ? std::move(handle) : nullptr;
}

}  // namespace

HwlocHandle load_live(bool kinds) {
  HwlocHandle handle = plainly([&] { return loaded(fresh(kinds)); });
  if (handle == nullptr) {
    throw Error(Errc::system, std::string("hwloc cannot read this machine (") + std::strerror(errno) + ")",
                "check that /sys and /proc are mounted, or set CHARM_TOPOLOGY to a description of it");
  }
  return handle;
}

HwlocHandle load_xml(const std::string& xml, bool kinds) {
  return quietly([&] {
    HwlocHandle handle = fresh(kinds);
    const bool taken = hwloc_topology_set_xmlbuffer(handle.get(), xml.c_str(), static_cast<int>(xml.size())) == 0;
    return loaded(std::move(handle), taken);
  });
}

HwlocHandle load_synthetic(const std::string& description, bool kinds) {
  return plainly([&] {
    HwlocHandle handle = fresh(kinds);
    const bool taken = hwloc_topology_set_synthetic(handle.get(), description.c_str()) == 0;
    return loaded(std::move(handle), taken);
  });
}

HwlocHandle load_recorded(bool kinds) {
  return quietly([&] { return loaded(fresh(kinds)); });
}

HwlocHandle load_processors(const std::string& dump) {
  return quietly([&]() -> HwlocHandle {
    const HwlocVariable place("HWLOC_CPUID_PATH", dump);
    HwlocHandle handle = fresh(true, Backend::processors);
    bool read = false;
    // A thread of its own, since hwloc binds the one that loads to each cpu in turn.
    std::thread([&] { read = hwloc_topology_load(handle.get()) == 0; }).join();
    const char* backend = read ? hwloc_obj_get_info_by_name(hwloc_get_root_obj(handle.get()), "Backend") : nullptr;
    if (backend == nullptr || std::string_view(backend) != "x86") return nullptr;
    return handle;
  });
}

}  // namespace charm::topology
