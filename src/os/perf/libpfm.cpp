#include "os/perf/libpfm.hpp"

#ifdef CHARM_HAS_LIBPFM
#include <cstring>
#include <dlfcn.h>
#include <mutex>

#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>
#endif

namespace charm::os {

#ifdef CHARM_HAS_LIBPFM
namespace {

/// The functions of the library, which stays loaded: its own tables are global, too.
struct Library {
  using Initialize = decltype(&pfm_initialize);
  using Encode = decltype(&pfm_get_os_event_encoding);
  using Explain = decltype(&pfm_strerror);

  Encode encode = nullptr;
  Explain explain = nullptr;
  std::string problem;

  Library() {
    void* handle = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      problem = "libpfm is not installed (libpfm.so.4)";
      return;
    }
    const auto initialize = reinterpret_cast<Initialize>(dlsym(handle, "pfm_initialize"));
    encode = reinterpret_cast<Encode>(dlsym(handle, "pfm_get_os_event_encoding"));
    explain = reinterpret_cast<Explain>(dlsym(handle, "pfm_strerror"));
    if (initialize == nullptr || encode == nullptr || explain == nullptr) {
      problem = "libpfm.so.4 lacks the functions of version 4";
      encode = nullptr;
    } else if (const int code = initialize(); code != PFM_SUCCESS) {
      problem = std::string("libpfm cannot start: ") + explain(code);
      encode = nullptr;
    }
  }
};

const Library& library() {
  static const Library the_library;
  return the_library;
}

}  // namespace

NamedPerfEvent encode_libpfm_event(const std::string& name) {
  const Library& pfm = library();
  if (pfm.encode == nullptr) return {std::nullopt, pfm.problem};
  perf_event_attr attr;
  std::memset(&attr, 0, sizeof attr);
  pfm_perf_encode_arg_t arguments;
  std::memset(&arguments, 0, sizeof arguments);
  arguments.attr = &attr;
  arguments.size = sizeof arguments;
  static std::mutex one_at_a_time;  // libpfm is not thread-safe
  const std::lock_guard lock(one_at_a_time);
  const int code = pfm.encode(name.c_str(), PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arguments);
  if (code != PFM_SUCCESS) return {std::nullopt, std::string("libpfm says ") + pfm.explain(code)};
  return {PerfEvent{attr.type, attr.config, attr.config1}, ""};
}

bool libpfm_available() { return library().encode != nullptr; }
#else
NamedPerfEvent encode_libpfm_event(const std::string&) {
  return {std::nullopt, "this build of CHARM knows no event names (libpfm's headers were not there)"};
}

bool libpfm_available() { return false; }
#endif

}  // namespace charm::os
