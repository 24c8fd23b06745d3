#include "topology/hwloc_handle.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "os/system_files.hpp"

namespace charm::topology {
namespace {

constexpr std::uint64_t most_cpus = 1 << 16;  // of a synthetic machine; hwloc would build millions, for minutes

/// hwloc prints boxes of text to stderr about broken firmware tables; what matters of them becomes notes. It reads the
/// variable once, at its first topology, and has no call for it. A value that the user has set stays.
void silence_hwloc() {
  static std::once_flag once;
  std::call_once(once, [] { setenv("HWLOC_HIDE_ERRORS", "2", 0); });
}

enum class Backend { kernel, processors };

HwlocHandle fresh(bool kinds, Backend backend = Backend::kernel) {
  silence_hwloc();
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

/// hwloc takes the place of a recorded machine from the environment and from nowhere else. One at a time in a process.
class HwlocVariable {
 public:
  /// \param value empty: the variable stays as it is.
  HwlocVariable(const char* name, const std::string& value) : lock_(mutex_), name_(value.empty() ? nullptr : name) {
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
  static inline std::mutex mutex_;
  const std::lock_guard<std::mutex> lock_;
  const char* name_;
  std::optional<std::string> before_;
};

/// Without control characters, so that an error stays one line.
std::string quoted(std::string text) {
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  return "'" + text + "'";
}

/// What is wrong with a file that hwloc refuses; hwloc itself reports only that it failed.
std::string complaint(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string head(4096, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  if (head.empty()) return "is empty";
  std::size_t tag = head.find("<topology");
  if (tag == std::string::npos) return "is no hwloc XML topology";
  constexpr std::string_view version = "<topology version=\"";
  if (head.compare(tag, version.size(), version) == 0 &&
      std::isdigit(static_cast<unsigned char>(head[tag + version.size()]))) {
    std::string number = head.substr(tag + version.size(), head.find('"', tag + version.size()) - tag - version.size());
    if (std::atoi(number.c_str()) > 2)
      return "is of hwloc's format " + number +
             ", which this hwloc cannot read (hwloc 3 writes the older one with 'lstopo --export-xml-flags 2 "
             "FILE.xml')";
  }
  return "is damaged or cut short (hwloc cannot read it)";
}

/// The product of the counts of a synthetic string; attributes in brackets are no counts.
std::uint64_t synthetic_cpus(const std::string& text) {
  std::uint64_t product = 1;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    bool starts = std::isdigit(static_cast<unsigned char>(c)) && (i == 0 || text[i - 1] == ':' || text[i - 1] == ' ');
    if (depth != 0 || !starts) continue;
    std::uint64_t count = std::strtoull(text.c_str() + i, nullptr, 10);
    if (count > most_cpus) return count;
    product *= count == 0 ? 1 : count;
    if (product > most_cpus) return product;
  }
  return product;
}

}  // namespace

HwlocHandle load_live(bool kinds) {
  HwlocHandle handle = fresh(kinds);
  if (hwloc_topology_load(handle.get()) != 0) {
    throw Error(Errc::system, std::string("hwloc cannot read this machine (") + std::strerror(errno) + ")",
                "check that /sys and /proc are mounted, or set CHARM_TOPOLOGY to a description of it");
  }
  return handle;
}

HwlocHandle load_xml(const std::string& file, bool kinds) {
  const std::string remedy = "write one with 'lstopo --of xml FILE' on the machine meant";
  auto fail = [&](const std::string& problem) {
    throw Error(Errc::bad_input, "topology file " + quoted(file) + " " + problem, remedy);
  };
  std::error_code error;
  auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) fail("does not exist");
  if (std::filesystem::is_directory(status)) fail("is a directory");
  if (!std::ifstream(file)) fail(std::string("cannot be opened (") + std::strerror(errno) + ")");
  HwlocHandle handle = fresh(kinds);
  if (hwloc_topology_set_xml(handle.get(), file.c_str()) != 0 || hwloc_topology_load(handle.get()) != 0) {
    fail(complaint(file));
  }
  return handle;
}

HwlocHandle load_sysfs(const std::string& root, bool kinds) {
  const std::string remedy = "name a directory that has the machine's sys/devices/system/cpu";
  auto fail = [&](const std::string& problem) {
    throw Error(Errc::bad_input, "sysfs tree " + quoted(root) + " " + problem, remedy);
  };
  std::error_code error;
  if (!std::filesystem::is_directory(os::path_below(root, "sys/devices/system/cpu"), error))
    fail("has no sys/devices/system/cpu");
  const HwlocVariable place("HWLOC_FSROOT", root);
  HwlocHandle handle = fresh(kinds);
  if (hwloc_topology_load(handle.get()) != 0) fail("is not understood by hwloc");
  return handle;
}

HwlocHandle load_processors(const std::string& dump) {
  const HwlocVariable place("HWLOC_CPUID_PATH", dump);
  HwlocHandle handle = fresh(true, Backend::processors);
  bool loaded = false;
  // A thread of its own, since hwloc binds the one that loads to each cpu in turn.
  std::thread([&] { loaded = hwloc_topology_load(handle.get()) == 0; }).join();
  const char* told_by = loaded ? hwloc_obj_get_info_by_name(hwloc_get_root_obj(handle.get()), "Backend") : nullptr;
  if (told_by == nullptr || std::string_view(told_by) != "x86") return nullptr;
  return handle;
}

HwlocHandle load_synthetic(const std::string& description, bool kinds) {
  const std::string remedy =
      "write levels and their counts from the outside in, down to pu, such as 'pack:2 l3:8 core:8 pu:2'";
  auto fail = [&](const std::string& problem) {
    throw Error(Errc::bad_input, "synthetic topology " + quoted(description) + " " + problem, remedy);
  };
  if (synthetic_cpus(description) > most_cpus) fail("has more than " + std::to_string(most_cpus) + " cpus");
  HwlocHandle handle = fresh(kinds);
  if (hwloc_topology_set_synthetic(handle.get(), description.c_str()) != 0 || hwloc_topology_load(handle.get()) != 0) {
    fail("is neither a file nor a string that hwloc understands");
  }
  return handle;
}

}  // namespace charm::topology
