// bench_controller_accounting [--trapped] [SECONDS] [PROGRAM [calls]]: the cost of control, as the sum of the times of
// its calls. With --trapped each worker has counters of which a reading takes 30 us, as where a hypervisor traps every
// access; they tell what this machine's clock says.
// Other load on the machine hides a difference of 1 % between two runs. So the linker (--wrap) reads a clock before and
// after every call by which the runtime enters its steering: publishing, reading counters, deciding, moving, and
// counting work all happen inside of these calls. The sum over the processor time of the run is the share that control
// takes, whatever else runs.
//
// A policy that does not move workers makes the same calls and finds nothing to do; the cost of control is the time
// that `adaptive` spends beyond that: beyond what its calls would have taken at the time per call that the other policy
// has. (The number of calls in a second varies with the load.) The time of an empty pair of clock readings is
// subtracted from each call. The result does not contain what a move costs the program itself (refilling caches), which
// the table of docs/design/controller.md has, nor the countdown of a register between two calls. Calls longer than 50
// us have lost the processor, or are ticks above their limit: they are counted separately ("long"; with --trapped from
// 100 us on).
//
// The machine is a described one with more chiplets than the workers need, and the controller has parameters with which
// it tries other levels all the time. The two policies take turns. Where no decision was made, there is
// no figure.
#include <charm/charm.hpp>
#include <charm/detail/ticks.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "controller/programs.hpp"
#include "counters/source.hpp"
#include "sched/run/runtime.hpp"

namespace {

constexpr double long_us = 50;
constexpr int turns = 2;  // few and long, since the controller makes its first decision after about half a second

constexpr std::array<const char*, 7> entries = {"boundary",   "chunk",    "slept", "arrive",
                                                "begin_work", "end_work", "count"};

struct Account {
  std::uint64_t calls = 0, ticks = 0, longer = 0, longer_ticks = 0;
  Account& operator+=(const Account& more) {
    calls += more.calls;
    ticks += more.ticks;
    longer += more.longer;
    longer_ticks += more.longer_ticks;
    return *this;
  }
};

using Accounts = std::array<Account, entries.size()>;

std::mutex accounts_mutex;
std::list<Accounts> accounts;
std::uint64_t long_ticks = ~std::uint64_t{0};
std::uint64_t empty_ticks = 0;

/// Not inlined: the thread may be another one than when the caller began.
[[gnu::noinline]] Accounts& mine() {
  thread_local Accounts* account = [] {
    std::lock_guard lock(accounts_mutex);
    return &accounts.emplace_back();
  }();
  return *account;
}

void add(std::size_t entry, std::uint64_t begin) {
  std::uint64_t took = charm::detail::ticks() - begin;
  took -= std::min(took, empty_ticks);
  Account& account = mine()[entry];
  if (took > long_ticks) {
    ++account.longer;
    account.longer_ticks += took;
    return;
  }
  ++account.calls;
  account.ticks += took;
}

/// Of all threads; to be asked while they have ended.
Accounts take_all() {
  std::lock_guard lock(accounts_mutex);
  Accounts sum{};
  for (Accounts& one : accounts) {
    for (std::size_t entry = 0; entry < entries.size(); ++entry) sum[entry] += one[entry];
    one = {};
  }
  return sum;
}

std::uint64_t ticks_of_nothing() {
  std::array<std::uint64_t, 1001> all;
  for (std::uint64_t& one : all) {
    const std::uint64_t begin = charm::detail::ticks();
    one = charm::detail::ticks() - begin;
  }
  std::nth_element(all.begin(), all.begin() + 500, all.end());
  return all[500];
}

double ticks_of_a_second() {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t begin = charm::detail::ticks();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto ticks = static_cast<double>(charm::detail::ticks() - begin);
  return ticks / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Counters that are not there. Most of the time goes to lines from memory, so that there is something to decide.
class Trapped final : public charm::counters::Source {
 public:
  static constexpr double reading_s = 30e-6;

  std::unique_ptr<charm::counters::ThreadCounters> open_for_this_thread(int /*worker*/) override {
    struct Thread final : charm::counters::ThreadCounters {
      charm::counters::Reading read() noexcept override {
        using charm::counters::FillSource;
        const auto now = [] { return std::chrono::steady_clock::now(); };
        const auto begin = now();
        while (std::chrono::duration<double>(now() - begin).count() < reading_s) {
        }
        const auto ns = static_cast<std::uint64_t>(std::chrono::duration<double, std::nano>(now() - opened).count());
        charm::counters::Reading reading;
        reading.time_ns = ns;
        reading.instructions = 2 * ns;
        reading.fills[index(FillSource::local_dram)] = ns / 12;
        reading.fills[index(FillSource::other_chiplet)] = ns / 40;
        reading.has.instructions = true;
        reading.has.fills = {FillSource::local_dram, FillSource::other_chiplet};
        return reading;
      }
      const std::chrono::steady_clock::time_point opened = std::chrono::steady_clock::now();
    };
    return std::make_unique<Thread>();
  }
  [[nodiscard]] charm::counters::Description describe() const override {
    charm::counters::Description description;
    description.kind = charm::counters::Description::Kind::hardware;
    description.name = "counters of which a reading takes 30 us";
    description.reading_s = reading_s;
    return description;
  }
};

bool trapped = false;

void start(const charm::Config& config) {
  if (trapped)
    new charm::sched::Runtime(config, nullptr, std::make_unique<Trapped>());  // until finalize()
  else
    charm::init(config);
}

struct Share {
  double seconds = 0, processor = 0;
  int runs = 0;
  Account account;
  Accounts by_entry{};
  std::size_t decisions = 0, ticks = 0;
};

void run(const cost::Program& program, const charm::Config& config, double seconds, Share& share) {
  std::thread([&] {
    start(config);
    program.seconds();
    const double before = processor_seconds() - share.processor;
    seconds += share.processor;
    do {
      share.seconds += program.seconds();
      ++share.runs;
      share.processor = processor_seconds() - before;  // with the validators, which run on the same workers
    } while (share.processor < seconds);
    share.decisions += charm::decisions().size();
    share.ticks += charm::timeline().size();
    charm::finalize();
  }).join();
  const Accounts more = take_all();
  for (std::size_t entry = 0; entry < entries.size(); ++entry) {
    share.by_entry[entry] += more[entry];
    share.account += more[entry];
  }
}

}  // namespace

#define CHARM_ACCOUNTED(entry, result, name, arguments, values)       \
  extern "C" result __real__ZN5charm5sched8Steering##name arguments;  \
  extern "C" result __wrap__ZN5charm5sched8Steering##name arguments;  \
  extern "C" result __wrap__ZN5charm5sched8Steering##name arguments { \
    const Clocked clocked{entry};                                     \
    return __real__ZN5charm5sched8Steering##name values;              \
  }

namespace {
struct Clocked {
  explicit Clocked(std::size_t e) : entry(e), begin(charm::detail::ticks()) {}
  ~Clocked() { add(entry, begin); }
  Clocked(const Clocked&) = delete;
  Clocked& operator=(const Clocked&) = delete;
  std::size_t entry;
  std::uint64_t begin;
};
}  // namespace

CHARM_ACCOUNTED(0, int, 8boundaryERNS0_6WorkerE, (void* self, void* worker), (self, worker))
CHARM_ACCOUNTED(1, int, 5chunkERNS0_6WorkerE, (void* self, void* worker), (self, worker))
CHARM_ACCOUNTED(2, void, 5sleptERNS0_6WorkerE, (void* self, void* worker), (self, worker))
CHARM_ACCOUNTED(3, void, 6arriveERNS0_6WorkerEm, (void* self, void* worker, std::uint64_t ticks), (self, worker, ticks))
CHARM_ACCOUNTED(4, void, 10begin_workERNS0_6WorkerE, (void* self, void* worker), (self, worker))
CHARM_ACCOUNTED(5, void, 8end_workERNS0_6WorkerEl, (void* self, void* worker, long now_ns), (self, worker, now_ns))
CHARM_ACCOUNTED(6, void, 5countERNS0_6WorkerEPKvd, (void* worker, const void* kind, double n), (worker, kind, n))

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--trapped") {
    trapped = true;
    --argc;
    ++argv;
  }
  const double seconds = argc > 1 ? std::atof(argv[1]) : 10;  // of processor time, for each policy
  const std::string only = argc > 2 ? argv[2] : "";
  const double per_second = ticks_of_a_second();
  empty_ticks = ticks_of_nothing();
  long_ticks = static_cast<std::uint64_t>((trapped ? 2 : 1) * long_us * 1e-6 * per_second);
  const int workers = std::max(1, std::min(8, static_cast<int>(charm::Machine::discover().cores.size())));
  const auto graph = charm::workloads::Graph::generate({.scale = 16}, {"serial", 1});
  charm::Config config;
  config.workers = workers;
  config.topology = "pack:1 l3:4 core:" + std::to_string(workers) + " pu:1";
  std::printf("share of processor time inside of steering, %d workers, 4 chiplets of paper%s\n", workers,
              trapped ? ", a reading of counters takes 30 us" : "");
  std::printf("%-20s %9s %10s %9s %8s %9s %9s %9s %7s %9s\n", "program", "run (s)", "calls/ms", "ns/call", "long",
              "adaptive", "still", "control", "ticks", "decisions");
  double most = 0;
  for (const cost::Program& program : cost::programs(graph, workers)) {
    if (!only.empty() && program.name != only) continue;
    Share still;
    Share share;
    for (int turn = 0; turn < turns; ++turn) {
      config.policy = "local";
      run(program, config, seconds / turns, still);
      config.policy = cost::deciding;
      run(program, config, seconds / turns, share);
    }
    if (share.decisions == 0) {
      std::printf("%-20s no figure: no decision in %zu ticks; give it more seconds\n", program.name.c_str(),
                  share.ticks);
      continue;
    }
    const auto part = [&](const Share& of, std::uint64_t ticks) {
      return 100 * static_cast<double>(ticks) / per_second / of.processor;
    };
    const double adaptive = part(share, share.account.ticks);
    double without = 0;  // what the same calls would take if there were no controller
    Accounts as_still{};
    for (std::size_t entry = 0; entry < entries.size(); ++entry) {
      const Account& before = still.by_entry[entry];
      const double each =
          static_cast<double>(before.ticks) / static_cast<double>(std::max<std::uint64_t>(1, before.calls));
      as_still[entry].ticks = static_cast<std::uint64_t>(each * static_cast<double>(share.by_entry[entry].calls));
      without += part(share, as_still[entry].ticks);
    }
    most = std::max(most, adaptive - without);
    std::printf("%-20s %9.4f %10.1f %9.1f %8llu %7.3f %% %7.3f %% %7.3f %% %7zu %9zu\n", program.name.c_str(),
                share.seconds / share.runs, static_cast<double>(share.account.calls) / share.processor / 1000,
                static_cast<double>(share.account.ticks) / per_second * 1e9 /
                    static_cast<double>(std::max<std::uint64_t>(1, share.account.calls)),
                static_cast<unsigned long long>(share.account.longer), adaptive, without, adaptive - without,
                share.ticks, share.decisions);
    for (std::size_t entry = 0; argc > 3 && entry < entries.size(); ++entry) {
      const Account& one = share.by_entry[entry];
      if (one.calls + one.longer == 0) continue;
      const double before = part(share, as_still[entry].ticks);
      std::printf("  %-18s %9s %10.1f %9.1f %8llu %7.3f %% %7.3f %% %7.3f %%\n", entries[entry], "",
                  static_cast<double>(one.calls) / share.processor / 1000,
                  static_cast<double>(one.ticks) / per_second * 1e9 /
                      static_cast<double>(std::max<std::uint64_t>(1, one.calls)),
                  static_cast<unsigned long long>(one.longer), part(share, one.ticks), before,
                  part(share, one.ticks) - before);
    }
    std::fflush(stdout);
  }
  std::printf("most: %.3f %% (the bar is 1 %%)\n", most);
  return 0;
}
