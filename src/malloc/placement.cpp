#include "malloc/placement.hpp"

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "malloc/jemalloc.hpp"
#include "malloc/text.hpp"
#include "malloc/variables.hpp"
#include "malloc/weights.hpp"
#include "os/memory/bare.hpp"

// Runtimes of sanitizers, where the program has one. Each brings a malloc of its own.
extern "C" {
[[gnu::weak, gnu::visibility("default")]] void __asan_init();
[[gnu::weak, gnu::visibility("default")]] void __hwasan_init();
[[gnu::weak, gnu::visibility("default")]] void __lsan_init();
[[gnu::weak, gnu::visibility("default")]] void __msan_init();
[[gnu::weak, gnu::visibility("default")]] void __tsan_init();
}

namespace charm::shim {
namespace {

bool has_sanitizer() noexcept {
  return __asan_init != nullptr || __hwasan_init != nullptr || __lsan_init != nullptr || __msan_init != nullptr ||
         __tsan_init != nullptr;
}

// No constructors run: the first allocation may come before them.
constinit WeightFile weight_file;
constinit Statistics all_statistics;
constinit bool placing = false;
constinit Variables asked;
constinit char default_path[64] = {};
constinit std::atomic<bool> refusal_said{false};
constinit std::atomic<bool> full_said{false};
constinit std::atomic<std::uint64_t> next_look_ns{0};
constinit std::size_t usual_page = 0;  // os::bare::touched_bytes()

/// What root publishes for all users.
constexpr const char* machine_path = "/dev/shm/charm-malloc";

/// /dev/shm/charm-malloc-UID, where `charm malloc weights --publish` puts the weights of this user's machine.
const char* user_path() noexcept {
  Text path;
  path << "/dev/shm/charm-malloc-" << os::bare::user();
  for (std::size_t i = 0; i < path.length() && i + 1 < sizeof default_path; ++i) default_path[i] = path.data()[i];
  return default_path;
}

/// Whether the machine has memory on more than one node; false where the kernel does not tell.
bool several_memories() noexcept {
  char text[128];
  os::bare::read_start_of("/sys/devices/system/node/has_memory", text, sizeof text);
  for (const char* at = text; *at != '\0'; ++at) {
    if (*at == '-' || *at == ',') return true;
  }
  return false;
}

void say_refusal(int error) noexcept {
  if (refusal_said.exchange(true, std::memory_order_relaxed)) return;
  Text text;
  text << "charm: malloc: ";
  if (error == ENOMEM) {
    text
        << "the process has all the mappings that it may have (vm.max_map_count); some memory lies where it is touched "
           "first\n";
  } else if (error == EINVAL) {
    text
        << "the process may not use a NUMA node of the weights (its cgroup's cpuset.mems); such blocks lie elsewhere\n";
  } else if (error == ENOSYS) {
    text << "the kernel cannot place memory (it was built without NUMA, or an emulator has no mbind); it lies where it "
            "is "
            "touched first\n";
  } else {
    text << "the kernel refuses to place memory (mbind: error " << static_cast<std::uint64_t>(error)
         << "); it lies where it is touched first; allow mbind in the container (CAP_SYS_NICE with Docker)\n";
  }
  say(text);
}

/// Bytes of a node that are free; all where the kernel does not tell.
std::size_t free_bytes_of(int node) noexcept {
  Text path;
  path << "/sys/devices/system/node/node" << static_cast<std::uint64_t>(node) << "/meminfo";
  char name[64] = {};
  for (std::size_t i = 0; i < path.length() && i + 1 < sizeof name; ++i) name[i] = path.data()[i];
  char text[256];
  os::bare::read_start_of(name, text, sizeof text);
  constexpr char key[] = "MemFree:";
  for (const char* at = text; *at != '\0'; ++at) {
    std::size_t same = 0;
    while (key[same] != '\0' && at[same] == key[same]) ++same;
    if (key[same] != '\0') continue;
    at += same;
    while (*at == ' ') ++at;
    std::size_t kib = 0;
    for (; *at >= '0' && *at <= '9'; ++at) kib = kib * 10 + static_cast<std::size_t>(*at - '0');
    return kib << 10U;
  }
  return SIZE_MAX;
}

/// If a node is full, the kernel puts its part of a block elsewhere and tells nobody: reported once. The files are read
/// for blocks whose touching takes far longer, and else ten times a second.
void see_full_nodes(const memory::WeightPage& page, std::size_t bytes, std::size_t root) noexcept {
  constexpr std::size_t always = std::size_t{64} << 20U;
  if (full_said.load(std::memory_order_relaxed)) return;
  const std::uint64_t now = os::bare::coarse_ns();
  if (bytes < always && now < next_look_ns.load(std::memory_order_relaxed)) return;
  next_look_ns.store(now + 100'000'000, std::memory_order_relaxed);
  std::size_t sum = 0;
  std::size_t most_free = 0;  // where all are short of memory, the kernel makes room
  std::size_t free[memory::most_memories];
  for (std::size_t m = 0; m < page.memories; ++m) {
    sum += page.weights[root][m];
    free[m] = free_bytes_of(page.os_node[m]);
    if (free[m] > most_free) most_free = free[m];
  }
  for (std::size_t m = 0; m < page.memories && sum > 0; ++m) {
    const std::size_t part = bytes / sum * page.weights[root][m];
    if (free[m] >= part || most_free < part) continue;
    if (full_said.exchange(true, std::memory_order_relaxed)) return;
    say(Text() << "charm: malloc: node " << static_cast<std::uint64_t>(page.os_node[m])
               << " has no room for its part of a block; what does not fit lies on other nodes\n");
    return;
  }
}

bool take(int error) noexcept {
  count(all_statistics.runs);
  if (error == 0) return true;
  count(all_statistics.refused);
  say_refusal(error);
  return false;
}

/// One page is placed for a try, so that a container that forbids it is found before jemalloc is set up for placement.
bool kernel_places(const memory::WeightPage& page) noexcept {
  const std::size_t bytes = os::bare::page_bytes();
  void* data = os::bare::map(nullptr, bytes);
  if (data == nullptr) return false;
  os::bare::Nodes nodes;
  for (std::size_t m = 0; m < page.memories; ++m) nodes.insert(page.os_node[m]);
  const int error = os::bare::place(data, bytes, nodes, true);
  os::bare::unmap(data, bytes);
  if (error != 0) say_refusal(error);
  return error == 0;
}

}  // namespace

void decide(bool serves) noexcept {
  if (has_sanitizer()) {
    if (serves) {
      constexpr char refusal[] =
          "charm: malloc: the program has a sanitizer, which needs its own malloc; start it without "
          "libcharm_malloc.so\n";
      os::bare::write_error(refusal, sizeof refusal - 1);
      os::bare::end(1);
    }
    say(Text() << "charm: malloc: the program has a sanitizer, whose own malloc serves it: nothing is placed\n");
    return;
  }
  asked = read_variables();
  if (asked.off) return;
  const bool named = asked.weights != nullptr;
  const char* path = named ? asked.weights : user_path();
  if (!weight_file.open(path) && (named || !weight_file.open(machine_path))) {
    if (named || several_memories()) {
      say(Text() << "charm: malloc: no usable weights in '" << path << "' ("
                 << os::bare::why_not_read(path, sizeof(memory::WeightPage))
                 << "): memory lies where it is touched first; write them with 'charm malloc weights --publish'\n");
    }
    return;
  }
  if (weight_file.page().memories < 2 || !kernel_places(weight_file.page())) return;
  // retain:false: invariant A2 of arenas.hpp. Blocks of 8 MiB and more go to arenas of ours, and never to jemalloc's.
  charm_je_malloc_conf = "narenas:1";
  // Threads are given their arenas (percpu_arena, hpa), and refills of their caches are counted (tcache).
  charm_je_malloc_conf_2_conf_harder =
      "retain:false,dss:disabled,oversize_threshold:0,percpu_arena:disabled,hpa:false,tcache:true";
  usual_page = os::bare::touched_bytes();
  placing = true;
}

bool places() noexcept { return placing; }
std::size_t normal_limit() noexcept { return asked.normal_limit; }
Statistics& statistics() noexcept { return all_statistics; }

int root_of(int cpu) noexcept {
  if (cpu < 0 || cpu >= static_cast<int>(memory::most_cpus)) return -1;
  const std::uint8_t root = weight_file.page().root_of_cpu[static_cast<std::size_t>(cpu)];
  return root == memory::no_root ? -1 : root;
}

std::size_t cpus_of(std::size_t root) noexcept {
  std::size_t cpus = 0;
  for (const std::uint8_t each : weight_file.page().root_of_cpu) cpus += each == root ? 1 : 0;
  return cpus;
}

namespace {
void spread(void* data, std::size_t bytes, std::size_t root) noexcept {
  const memory::WeightPage& page = weight_file.page();
  const memory::Layers layers = memory::layers_of(memory::weights_of(page, root));
  // Borders lie between huge pages also where the block does not begin there: it is what was added to a growing one.
  const std::size_t before = reinterpret_cast<std::uintptr_t>(data) % usual_page;
  char* const begin = static_cast<char*>(data) - before;
  memory::for_each_run(layers, before + bytes, usual_page,
                       [&](std::size_t offset, std::size_t length, std::uint64_t members) {
                         if (offset == 0) {
                           offset += before;
                           length -= before;
                         }
                         os::bare::Nodes nodes;
                         const auto many = static_cast<std::uint64_t>(std::popcount(members));
                         for (std::uint64_t left = members; left != 0; left &= left - 1)
                           nodes.insert(page.os_node[static_cast<std::size_t>(std::countr_zero(left))]);
                         if (!take(os::bare::place(begin + offset, length, nodes, many > 1))) return;
                         for (std::uint64_t left = members; left != 0; left &= left - 1)
                           count(all_statistics.bytes[static_cast<std::size_t>(std::countr_zero(left))], length / many);
                       });
}
}  // namespace

void see_static_arrays(std::size_t root) noexcept {
  constexpr std::size_t large = std::size_t{64} << 20U;  // what a program runs measurably slower for
  const os::bare::Range arrays = os::bare::static_memory();
  if (asked.spreads_static) {
    if (arrays.bytes > asked.normal_limit && root < weight_file.page().roots) {
      count(all_statistics.static_bytes, arrays.bytes);
      spread(arrays.data, arrays.bytes, root);
    }
  } else if (arrays.bytes >= large) {
    say(Text() << "charm: malloc: " << (arrays.bytes >> 20U)
               << " MiB of static arrays never pass malloc and lie where they are touched first; "
                  "CHARM_MALLOC_STATIC=on spreads them, too\n");
  }
}

void place_huge(void* data, std::size_t bytes, std::size_t root) noexcept {
  if (weight_file.refresh(os::bare::coarse_ns())) count(all_statistics.pages_read);
  const memory::WeightPage& page = weight_file.page();
  if (bytes > asked.normal_limit) {  // else jemalloc's own bookkeeping
    count(all_statistics.huge_blocks);
    count(all_statistics.huge_bytes, bytes);
  }
  if (root >= page.roots) return;
  if (bytes > asked.normal_limit) see_full_nodes(page, bytes, root);
  spread(data, bytes, root);
}

void place_normal(void* data, std::size_t bytes, std::size_t root) noexcept {
  if (weight_file.refresh(os::bare::coarse_ns())) count(all_statistics.pages_read);
  const memory::WeightPage& page = weight_file.page();
  count(all_statistics.normal_chunks);
  count(all_statistics.normal_bytes, bytes);
  if (root >= page.roots || page.normal[root] < 0) return;
  os::bare::Nodes nodes;
  nodes.insert(page.os_node[static_cast<std::size_t>(page.normal[root])]);
  take(os::bare::place(data, bytes, nodes, false));
}

void print_statistics(const char* where) noexcept {
  const Statistics& all = all_statistics;
  const auto number = [](const Counter& counter) { return counter.load(std::memory_order_relaxed); };
  Text text;
  text << "charm malloc: process " << static_cast<std::uint64_t>(os::bare::process());
  if (!placing) {
    text << ", memory was not placed\n";
  } else {
    const memory::WeightPage& page = weight_file.page();
    text << ", policy " << page.policy.data() << ", huge above " << asked.normal_limit << " bytes\n";
    text << "charm malloc: huge blocks " << number(all.huge_blocks) << ", bytes " << number(all.huge_bytes) << "\n";
    text << "charm malloc: normal chunks " << number(all.normal_chunks) << ", bytes " << number(all.normal_bytes)
         << ", arenas " << number(all.arenas) << ", moves " << number(all.moves) << "\n";
    text << "charm malloc: calls that placed " << number(all.runs) << ", refused " << number(all.refused)
         << ", weights read again " << number(all.pages_read) << "\n";
    if (const std::uint64_t bytes = number(all.static_bytes); bytes > 0)
      text << "charm malloc: static arrays, bytes " << bytes << "\n";
    text << "charm malloc: huge bytes by node";
    for (std::size_t m = 0; m < page.memories; ++m)
      text << " " << static_cast<std::uint64_t>(page.os_node[m]) << ":" << number(all.bytes[m]);
    text << "\n";
  }
  if (where[0] != '/') {
    os::bare::write_error(text.data(), text.length());
  } else if (!os::bare::append(where, text.data(), text.length())) {
    say(Text() << "charm: malloc: the statistics cannot be written to '" << where << "' (CHARM_MALLOC_STATS)\n");
  }
}

namespace {
/// At exit(). A program that ends by _exit or a signal prints nothing.
[[gnu::destructor]] void at_exit() {
  if (asked.statistics != nullptr) print_statistics(asked.statistics);
}
}  // namespace

}  // namespace charm::shim
