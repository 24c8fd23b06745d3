#include "topology/sysfs_check.hpp"

#include <charm/id_set.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

#include "os/files/bounded_file.hpp"
#include "os/files/system_files.hpp"
#include "os/machine/cpu_identity.hpp"

namespace charm::topology {
namespace {

namespace fs = std::filesystem;

constexpr const char* cpu_folder = "sys/devices/system/cpu";
constexpr const char* node_folder = "sys/devices/system/node";
constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20U;  // of cpuinfo, which is the largest
constexpr std::uint64_t most_cache_kib = std::uint64_t{16} << 20U;
constexpr std::size_t most_size_digits = 12;  // what no number holds
constexpr const char* copy_again = "copy the machine's sys/devices/system and proc/cpuinfo again, whole";

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// The directory that was meant, where another level of the tree was named; empty where none is near.
std::string meant_instead_of(const std::string& root) {
  std::error_code error;
  const fs::path whole = fs::absolute(root, error).lexically_normal();
  // Upwards: sys/devices/system/cpu/cpuN/topology is six levels deep. Below / is this machine, which is meant only
  // where its own tree was named.
  fs::path above = whole.has_filename() ? whole : whole.parent_path();
  for (int level = 0; level < 6 && above.has_relative_path(); ++level) {
    above = above.parent_path();
    const bool live = above == above.root_path();
    if (live && whole.string() != "/sys" && !whole.string().starts_with("/sys/")) break;
    if (is_folder(above / cpu_folder)) return above.string();
  }
  std::vector<std::string> below;
  for (fs::directory_iterator at(root, error), end; !error && at != end && below.size() < 1000; at.increment(error)) {
    if (is_folder(at->path() / cpu_folder)) below.push_back(at->path().string());
  }
  return below.empty() ? "" : *std::min_element(below.begin(), below.end());
}

/// Paths below `folder`, to `depth` levels, that are neither files nor folders and would keep a reader waiting; also
/// files that are too large for what they are. The first one; empty where there is none.
std::string endless_below(const fs::path& folder, int depth) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (!at->is_symlink(ignored) && at->is_regular_file(ignored)) continue;  // known without a look at the file itself
    const fs::file_status status = at->status(ignored);                      // of what a link leads to
    if (status.type() == fs::file_type::directory) {
      if (depth == 0 || at->is_symlink(ignored)) continue;
      if (std::string found = endless_below(at->path(), depth - 1); !found.empty()) return found;
    } else if (status.type() != fs::file_type::regular && fs::exists(status)) {
      return at->path().string();
    }
  }
  return "";
}

std::string endless_in(const std::string& root) {
  for (const char* name : {"proc/cpuinfo", "proc/meminfo", "proc/mounts", "proc/hwloc-nofile-info"}) {
    const fs::path path = os::path_below(root, name);
    std::error_code missing;
    const fs::file_status status = fs::status(path, missing);
    if (!fs::exists(status)) continue;
    if (status.type() != fs::file_type::regular || fs::file_size(path, missing) > most_bytes) return path.string();
  }
  for (const char* name : {cpu_folder, node_folder}) {
    if (std::string found = endless_below(os::path_below(root, name), 3); !found.empty()) return found;
  }
  return "";
}

/// Numbers of the folders "cpuN" or "nodeN".
CpuSet numbered(const fs::path& folder, std::string_view prefix) {
  std::vector<int> numbers;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    int number = 0;
    if (!name.starts_with(prefix)) continue;
    const auto [stop, wrong] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    if (wrong == std::errc() && stop == name.data() + name.size() && number >= 0) numbers.push_back(number);
  }
  return CpuSet(std::move(numbers));
}

/// The beginning of a file, which is all of every file that the kernel has here.
std::string small_text(const fs::path& path) {
  std::vector<char> buffer(std::size_t{1} << 16U);
  return std::string(os::read_start(path.string(), buffer.data(), buffer.size()));
}

std::string first_line(const fs::path& path) {
  const std::string text = small_text(path);
  return text.substr(0, text.find('\n'));
}

/// A mask as the kernel writes it: words of 32 bits in hexadecimal, the highest first; nothing where it is none.
std::optional<CpuSet> mask_of(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::vector<int> cpus;
  int base = 0;
  while (!text.empty()) {
    const std::size_t comma = text.rfind(',');
    const std::string_view word = comma == std::string_view::npos ? text : text.substr(comma + 1);
    unsigned bits = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), bits, 16);
    if (error != std::errc() || end != word.data() + word.size() || word.size() > 8) return std::nullopt;
    for (int bit = 0; bit < 32; ++bit) {
      if ((bits >> static_cast<unsigned>(bit) & 1U) != 0) cpus.push_back(base + bit);
    }
    base += 32;
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(0, comma);
  }
  return base == 0 ? std::nullopt : std::optional(CpuSet(std::move(cpus)));
}

/// Whether the text has as many distances as there are nodes, each as firmware and kernel have them, in a byte.
bool are_distances(std::string_view text, std::size_t nodes) {
  constexpr std::int64_t most_distance = 255;
  std::size_t count = 0;
  while (const auto distance = os::next_number<std::int64_t>(text)) {
    if (*distance < 1 || *distance > most_distance) return false;
    ++count;
  }
  return count == nodes;
}

class Check {
 public:
  explicit Check(const std::string& root)
      : cpus_(os::path_below(root, cpu_folder)), nodes_(os::path_below(root, node_folder)) {}

  SysfsFindings findings() {
    there_ = numbered(cpus_, "cpu");
    for (int cpu : there_) {
      if (is_folder(of(cpu) / "topology")) described_.insert(cpu);
    }
    if (!any_sharers()) {
      return {"has no topology: none of its cpus has cpuN/topology with the cpus that share its core", copy_again};
    }
    const auto online = list(cpus_ / "online");
    // hwloc would take it for some cpus or other.
    if (!notes_.empty()) return {"names its cpus in sys/devices/system/cpu/online, which is no list", copy_again};
    online_ = online.value_or(there_);
    note(online_ - there_, " online without a directory, and taken as missing");
    note((online_ & there_) - described_, " online without topology, and taken as missing");
    const CpuSet known = online_ & described_;
    shared("the core", known,
           [&](int cpu) { return first_of(cpu, {"topology/core_cpus", "topology/thread_siblings"}); });
    shared("the socket", known,
           [&](int cpu) { return first_of(cpu, {"topology/package_cpus", "topology/core_siblings"}); });
    caches(known);
    if (std::string empty = nodes(known); !empty.empty()) return {empty, copy_again};
    return {.notes = std::move(notes_), .distances = distances_};
  }

 private:
  [[nodiscard]] fs::path of(int cpu) const { return cpus_ / ("cpu" + std::to_string(cpu)); }

  void note(const CpuSet& cpus, const std::string& what) {
    if (!cpus.empty())
      notes_.push_back((cpus.size() == 1 ? "Cpu " : "Cpus ") + cpus.to_text() + (cpus.size() == 1 ? " is" : " are") +
                       what + ".");
  }

  /// hwloc falls back to this machine's cpus where there is none.
  [[nodiscard]] bool any_sharers() const {
    return std::any_of(described_.begin(), described_.end(), [&](int cpu) {
      return first_of(cpu, {"topology/core_cpus", "topology/thread_siblings", "topology/package_cpus",
                            "topology/core_siblings"})
          .has_value();
    });
  }

  /// The first of the files that is there.
  [[nodiscard]] std::optional<std::string> first_of(int cpu, std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      if (std::string text = small_text(of(cpu) / name); !text.empty()) return text;
    }
    return std::nullopt;
  }

  std::optional<CpuSet> list(const fs::path& file) {
    const std::string text = small_text(file);
    if (text.empty()) return std::nullopt;
    auto cpus = CpuSet::try_parse(text);
    if (!cpus || cpus->empty()) notes_.push_back("What " + file.filename().string() + " names is no list: not used.");
    return cpus && !cpus->empty() ? cpus : std::nullopt;
  }

  /// What cpus say of each other: each names itself, and those that it names say the same.
  void shared(const std::string& what, const CpuSet& cpus, const std::function<std::optional<std::string>(int)>& read) {
    std::map<int, CpuSet> masks;
    CpuSet silent, damaged, odd;
    for (int cpu : cpus) {
      const auto text = read(cpu);
      auto mask = text ? mask_of(*text) : std::nullopt;
      if (!text) silent.insert(cpu);
      if (text && !mask) damaged.insert(cpu);
      if (mask) masks.emplace(cpu, *mask & cpus);
    }
    for (const auto& [cpu, mask] : masks) {
      const bool agreed = mask.contains(cpu) && std::all_of(mask.begin(), mask.end(), [&](int other) {
                            const auto at = masks.find(other);
                            return at == masks.end() || at->second == mask;
                          });
      if (!agreed) odd.insert(cpu);
    }
    if (silent.size() < cpus.size()) note(silent, " unknown who shares " + what + " with " + them(silent));
    note(damaged, " told in no readable mask who shares " + what + " with " + them(damaged));
    note(odd, " told of " + what + " otherwise than those that share it");
  }
  static std::string them(const CpuSet& cpus) { return cpus.size() == 1 ? "it" : "them"; }

  void caches(const CpuSet& known) {
    std::map<int, fs::path> l3;
    CpuSet without_level, without_size, oversized, cached;
    for (int cpu : known) {
      for (int index = 0; index < 10; ++index) {
        const fs::path here = of(cpu) / "cache" / ("index" + std::to_string(index));
        if (!is_folder(here)) continue;
        const std::string level = first_line(here / "level");
        if (!os::first_number(level)) {
          without_level.insert(cpu);
          continue;
        }
        cached.insert(cpu);
        const std::string size = first_line(here / "size");  // as "32768K"
        const auto kib = os::first_number(size);
        if (kib.value_or(0) == 0) without_size.insert(cpu);
        if (kib ? *kib > most_cache_kib : size.size() > most_size_digits) oversized.insert(cpu);
        if (level == "3") l3.emplace(cpu, here);
      }
    }
    note(without_level, " told of a cache without its level, which is left out");
    if (without_size.size() < cached.size()) note(without_size, " told of a cache without its size");
    note(oversized, " told of a cache that is larger than any");
    CpuSet behind;
    for (const auto& [cpu, path] : l3) behind.insert(cpu);
    shared("the L3 cache", behind, [&](int cpu) -> std::optional<std::string> {
      std::string text = small_text(l3.at(cpu) / "shared_cpu_map");
      return text.empty() ? std::nullopt : std::optional(std::move(text));
    });
  }

  /// \return what makes hwloc end the program; empty where nothing does.
  std::string nodes(const CpuSet& known) {
    if (!is_folder(nodes_)) return "";
    const CpuSet there = numbered(nodes_, "node");
    if (there.empty()) return "has a sys/devices/system/node without any node in it";
    const CpuSet online = list(nodes_ / "online").value_or(there);
    if (const CpuSet missing = online - there; !missing.empty())
      notes_.push_back("NUMA nodes " + missing.to_text() + " are online and have no directory.");
    CpuSet near, twice, silent, unmeasured;
    bool any_distance = false;
    const CpuSet seen = there & online;
    for (int node : seen) {
      const fs::path here = nodes_ / ("node" + std::to_string(node));
      const auto mask = mask_of(small_text(here / "cpumap"));
      const std::string distance = small_text(here / "distance");
      any_distance = any_distance || !distance.empty();
      if (!are_distances(distance, online.size())) unmeasured.insert(node);
      if (!mask) silent.insert(node);
      if (!mask) continue;
      twice |= near & *mask;
      near |= *mask;
    }
    if (!silent.empty())
      notes_.push_back("It is unknown which cpus are near to NUMA nodes " + silent.to_text() + " (cpumap).");
    distances_ = unmeasured.empty();
    if (online.size() > 1 && !distances_ && any_distance)
      notes_.push_back("The distances of NUMA nodes " + unmeasured.to_text() +
                       " are not those to all others: none is used.");
    note(twice, " in several NUMA nodes");
    if (silent.empty()) note(known - near, " in no NUMA node");
    return "";
  }

  fs::path cpus_, nodes_;
  CpuSet there_, described_, online_;
  std::vector<std::string> notes_;
  bool distances_ = true;
};

}  // namespace

SysfsFindings check_sysfs(const std::string& root) {
  if (!is_folder(os::path_below(root, cpu_folder))) {
    const std::string meant = meant_instead_of(root);
    return {"is a directory without sys/devices/system/cpu",
            meant.empty() ? "name a directory that has the machine's sys/devices/system/cpu"
                          : "name '" + meant + "', which has it"};
  }
  if (const std::string endless = endless_in(root); !endless.empty())
    return {"has '" + endless + "', which is no file or has no end", "replace it by a copy of the machine's file"};
  SysfsFindings findings = Check(root).findings();
  const os::CpuIdentity cpu = os::read_cpu_identity(root);
  findings.arm = cpu.vendor == "arm" || cpu.vendor == "hisilicon" || cpu.vendor.starts_with("0x");
  findings.grace = cpu.vendor == "arm" && cpu.model == 0xd4f;
  return findings;
}

}  // namespace charm::topology
