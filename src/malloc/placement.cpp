#include "malloc/placement.hpp"

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "malloc/arenas.hpp"
#include "malloc/jemalloc.hpp"
#include "malloc/messages.hpp"
#include "malloc/nodes.hpp"
#include "malloc/sandbox.hpp"
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
  os::bare::absolute_path(path.words(), default_path, sizeof default_path);
  return default_path;
}

/// What the kernel has answered to the first call that it refused, to be said where no lock is held; 0: nothing to say.
constinit std::atomic<int> refused_with{0};

const char* reason_of(int error) noexcept {
  switch (error) {
    case ENOMEM:
      return "the process has all the mappings that it may have (vm.max_map_count); some memory lies where it is "
             "touched first";
    case EINVAL:
      return "the process may not use a NUMA node of the weights (its cgroup's cpuset.mems); such blocks lie elsewhere";
    case os::bare::killed:
      return "a filter of system calls (seccomp) would kill the process if it placed memory (mbind); memory lies where "
             "it is touched first; allow mbind in the sandbox";
    case ENOSYS:
      return "the kernel cannot place memory (it was built without NUMA, or an emulator has no mbind); it lies where "
             "it "
             "is touched first";
    default:
      return nullptr;
  }
}

void say_refusal(int error, bool filtered) noexcept {
  if (refusal_said.exchange(true, std::memory_order_relaxed)) return;
  const char* reason = error == ENOSYS && filtered ? nullptr : reason_of(error);
  if (reason != nullptr) return say(Text() << "charm: malloc: " << reason << "\n");
  say(Text() << "charm: malloc: " << (filtered && error == ENOSYS ? "a filter of system calls (seccomp)" : "the kernel")
             << " refuses to place memory (mbind: error " << static_cast<std::uint64_t>(error)
             << "); it lies where it is touched first; allow mbind in the container (CAP_SYS_NICE with Docker)\n");
}

/// mbind(2), below jemalloc's locks. \return whether the memory is placed.
bool place_on(const os::bare::Nodes& nodes, void* data, std::size_t bytes, bool in_turn) noexcept {
  const KernelCall call;
  if (!call.allowed()) return false;
  const int error = os::bare::place(data, bytes, nodes, in_turn);
  count(all_statistics.runs);
  if (error == 0) return true;
  count(all_statistics.refused);
  int none = 0;
  refused_with.compare_exchange_strong(none, error, std::memory_order_relaxed);
  return false;
}

/// A page that is placed for a try.
struct Trial {
  void* data;
  os::bare::Nodes nodes;
};

int place_trial(void* argument) noexcept {
  const auto* trial = static_cast<const Trial*>(argument);
  return os::bare::place(trial->data, os::bare::page_bytes(), trial->nodes, true);
}

/// So that a container that forbids it is found before jemalloc is set up for placement.
bool kernel_places(const memory::WeightPage& page) noexcept {
  Trial trial{os::bare::map(nullptr, os::bare::page_bytes()), {}};
  if (trial.data == nullptr) return false;
  for (std::size_t m = 0; m < page.memories; ++m) trial.nodes.insert(page.os_node[m]);
  const bool filtered = os::bare::is_filtered();
  const int error = filtered ? os::bare::try_in_child(place_trial, &trial) : place_trial(&trial);
  os::bare::unmap(trial.data, os::bare::page_bytes());
  if (error != 0) say_refusal(error, filtered);
  return error == 0;
}

}  // namespace

void decide(bool serves) noexcept {
  prepare_messages();
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
  // retain:false: jemalloc retains nothing, arenas.hpp. Blocks of 8 MiB and more go to arenas of ours, and never to
  // jemalloc's.
  charm_je_malloc_conf = "narenas:1";
  // Threads are given their arenas (percpu_arena, hpa), and refills of their caches are counted (tcache).
  charm_je_malloc_conf_2_conf_harder =
      "retain:false,dss:disabled,oversize_threshold:0,percpu_arena:disabled,hpa:false,tcache:true";
  usual_page = os::bare::touched_bytes();
  allow_mappings(most_mappings() / weight_file.page().memories);
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

os::bare::Nodes nodes_of(std::uint64_t members) noexcept {
  os::bare::Nodes nodes;
  for (; members != 0; members &= members - 1)
    nodes.insert(weight_file.page().os_node[static_cast<std::size_t>(std::countr_zero(members))]);
  return nodes;
}

/// To each member its part; what does not divide goes to the first ones, so that the sum is that of the bytes.
void count_members(std::uint64_t members, std::size_t bytes) noexcept {
  auto many = static_cast<std::size_t>(std::popcount(members));
  for (; members != 0; members &= members - 1, --many) {
    const std::size_t part = (bytes + many - 1) / many;
    count(all_statistics.bytes[static_cast<std::size_t>(std::countr_zero(members))], part);
    bytes -= part;
  }
}

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
                         if (place_on(nodes_of(members), begin + offset, length, std::popcount(members) > 1))
                           count_members(members, length);
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

void see_weights() noexcept {
  const std::uint64_t now = os::bare::coarse_ns();
  if (!weight_file.is_due(now)) return;
  const KernelCall call;
  if (call.allowed() && weight_file.refresh(now)) count(all_statistics.pages_read);
}

void see_full_nodes(std::size_t bytes, std::size_t root) noexcept {
  constexpr std::size_t always = std::size_t{64} << 20U;
  const memory::WeightPage& page = weight_file.page();
  if (root >= page.roots || full_said.load(std::memory_order_relaxed)) return;
  const std::uint64_t now = os::bare::coarse_ns();
  if (bytes < always && now < next_look_ns.load(std::memory_order_relaxed)) return;
  next_look_ns.store(now + 100'000'000, std::memory_order_relaxed);
  const KernelCall call;
  const int node = call.allowed() ? full_node(page, bytes, root) : -1;
  if (node < 0 || full_said.exchange(true, std::memory_order_relaxed)) return;
  say(Text() << "charm: malloc: node " << static_cast<std::uint64_t>(node)
             << " has no room for its part of a block; what does not fit lies on other nodes\n");
}

void report_refusal() noexcept {
  if (refused_with.load(std::memory_order_relaxed) == 0) [[likely]]
    return;
  const int error = refused_with.exchange(0, std::memory_order_relaxed);
  if (error != 0) say_refusal(error, false);
}

void place_huge(void* data, std::size_t bytes, std::size_t root, bool grows) noexcept {
  if (!grows) count(all_statistics.huge_blocks);
  count(all_statistics.huge_bytes, bytes);
  if (root < weight_file.page().roots) spread(data, bytes, root);
}

memory::Layers layers_of_root(std::size_t root) noexcept {
  const memory::WeightPage& page = weight_file.page();
  return root < page.roots ? memory::layers_of(memory::weights_of(page, root)) : memory::Layers{};
}

void place_layer(void* data, std::size_t bytes, std::uint64_t members) noexcept {
  place_on(nodes_of(members), data, bytes, std::popcount(members) > 1);
}

void count_shared(std::size_t bytes, std::uint64_t members, bool grows) noexcept {
  if (!grows) count(all_statistics.huge_blocks);
  if (!grows) count(all_statistics.shared_blocks);
  count(all_statistics.huge_bytes, bytes);
  count_members(members, bytes);
}

void place_normal(void* data, std::size_t bytes, std::size_t root) noexcept {
  const memory::WeightPage& page = weight_file.page();
  count(all_statistics.normal_chunks);
  count(all_statistics.normal_bytes, bytes);
  if (root >= page.roots || page.normal[root] < 0) return;
  os::bare::Nodes nodes;
  nodes.insert(page.os_node[static_cast<std::size_t>(page.normal[root])]);
  place_on(nodes, data, bytes, false);
}

void hold_weights() noexcept { weight_file.hold(); }
void release_weights() noexcept { weight_file.release(); }

namespace {

/// \param when behind the number of the process.
void print_statistics(const char* when) noexcept {
  const char* where = asked.statistics;
  Text text;
  text << "charm malloc: process " << static_cast<std::uint64_t>(os::bare::process()) << when;
  if (placing)
    describe(text, all_statistics, weight_file.page(), asked.normal_limit);
  else
    text << ", memory was not placed\n";
  if (where[0] != '/') return write_to_error(text);
  const KernelCall call;
  if (call.allowed() && !os::bare::append(where, text.data(), text.length()))
    say(Text() << "charm: malloc: the statistics cannot be written to '" << where << "' (CHARM_MALLOC_STATS)\n");
}

/// At exit(). A program that ends by _exit or a signal prints nothing.
[[gnu::destructor]] void at_exit() {
  report_refusal();
  if (asked.statistics != nullptr && !is_sandboxed()) print_statistics("");
}

}  // namespace

void print_statistics_before_sandbox() noexcept {
  if (asked.statistics != nullptr) print_statistics(", until its sandbox (seccomp) began");
}

}  // namespace charm::shim
