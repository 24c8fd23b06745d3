// Counters where the process may open few files, on a real kernel: the same number for each cpu that `ulimit -n 1024`
// leaves each of 384. The emulated processors count no cache fills, so the kernel's own events stand for them: they are
// files all the same.
#include <charm/charm.hpp>

#include <algorithm>
#include <fcntl.h>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "counters/sources.hpp"
#include "os/files/set_aside.hpp"
#include "os/threads/affinity.hpp"

namespace {

constexpr int files_of_384 = 1024;

/// Instructions, cycles and the four sources of fills that a controller of two sockets can use.
constexpr const char* six_events =
    "instructions=1:2 own_chiplet=1:5 other_chiplet=1:3 remote_cache=1:4 local_dram=1:6 remote_dram=1:7";

/// Both limits, until the end of the test. Only root may raise the hard one again, as whoever runs in these machines
/// is.
class Limit {
 public:
  explicit Limit(int files) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit less{static_cast<rlim_t>(files), static_cast<rlim_t>(files)};
    ok_ = setrlimit(RLIMIT_NOFILE, &less) == 0;
  }
  ~Limit() { setrlimit(RLIMIT_NOFILE, &before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  rlimit before_{};
  bool ok_ = false;
};

TEST(Files, EveryEventOfEveryCpuIsCountedWithAsFewAs384CpusHaveOf1024) {
  const auto machine = charm::Machine::discover();
  const int cores = static_cast<int>(machine.cores.size());
  const int files = cores * files_of_384 / 384;
  const Limit limit(files);
  ASSERT_TRUE(limit.ok());
  auto around = charm::counters::source_context();
  around.threads = cores;
  around.system_signals = false;
  // The events take turns if a core has fewer counters than events; this one has six.
  const auto source = charm::counters::try_hardware(charm::counters::model_named("zen4"), {2, 2, 2},
                                                    charm::counters::parse_user_events(six_events), around)
                          .source;
  ASSERT_NE(source, nullptr);
  std::vector<charm::counters::Measured> has(machine.cores.size());
  std::vector<std::unique_ptr<charm::counters::ThreadCounters>> counters(machine.cores.size());
  std::vector<std::jthread> threads;
  for (int core = 0; core < cores; ++core) {
    threads.emplace_back([&, at = static_cast<std::size_t>(core)] {
      charm::os::bind_this_thread(charm::CpuSet{machine.cores[at].cpu});
      counters[at] = source->open_for_this_thread(static_cast<int>(at));
      has[at] = counters[at]->read().has;
    });
  }
  for (auto& thread : threads) thread.join();
  const auto whole =
      std::count_if(has.begin(), has.end(), [](const auto& one) { return one.instructions && one.fills.size() == 5; });
  std::string notes;
  for (const auto& note : source->describe().notes) notes += note + "\n";
  EXPECT_EQ(whole, cores) << notes;
  // The rest is the program's.
  std::vector<int> more;
  for (int file = open("/dev/null", O_RDONLY); file >= 0; file = open("/dev/null", O_RDONLY)) more.push_back(file);
  EXPECT_GE(static_cast<int>(more.size()), files / 4 - 24) << "of " << files;
  for (const int file : more) close(file);
}

}  // namespace
