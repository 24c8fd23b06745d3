#include "os/threads/handover.hpp"

#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <sys/syscall.h>

#include "os/threads/affinity.hpp"

namespace charm::os {
namespace {

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  ~Pipe() {
    end();
    if (ends_[0] >= 0) close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] bool is_open() const { return ends_[0] >= 0; }
  /// Whoever reads finds the end.
  void end() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  template <class Word>
  [[nodiscard]] bool put(const Word& word) const {
    return write(ends_[1], &word, sizeof word) == static_cast<ssize_t>(sizeof word);
  }
  template <class Word>
  bool take(Word& word) const {
    return read(ends_[0], &word, sizeof word) == static_cast<ssize_t>(sizeof word);
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

class TwoThreads final : public Handover {
 public:
  TwoThreads() {
    if (!wanted_.is_open() || !took_.is_open() || !there_.is_open() || !back_.is_open()) return;
    const CpuSet allowed = allowed_cpus();
    const CpuSet cpu = allowed.empty() ? CpuSet() : CpuSet{allowed.front()};
    leader_ = std::thread([this, cpu] {
      started(0, cpu);
      for (int rounds = 0; wanted_.take(rounds);) {
        const double seconds = lead(rounds);
        if (!took_.put(seconds)) return;
      }
      there_.end();
    });
    follower_ = std::thread([this, cpu] {
      started(1, cpu);
      for (char turn = 0; there_.take(turn);) {
        if (!back_.put(turn)) return;
      }
    });
    for (auto& id : ids_) id.wait(0);
  }
  ~TwoThreads() override {
    wanted_.end();
    if (!leader_.joinable()) there_.end();
    if (leader_.joinable()) leader_.join();
    if (follower_.joinable()) follower_.join();
  }

  [[nodiscard]] bool works() const { return leader_.joinable() && follower_.joinable(); }
  [[nodiscard]] std::array<int, 2> threads() const override { return {ids_[0].load(), ids_[1].load()}; }
  double seconds(int switches) override {
    double took = 0;
    const int rounds = (switches + 1) / 2;
    return works() && rounds > 0 && wanted_.put(rounds) && took_.take(took) ? took / (2 * rounds) : 0;
  }

 private:
  void started(std::size_t which, const CpuSet& cpu) {
    if (!cpu.empty()) bind_this_thread(cpu);
    ids_[which] = static_cast<int>(syscall(SYS_gettid));
    ids_[which].notify_one();
  }
  double lead(int rounds) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    char turn = 1;
    for (int r = 0; r < rounds; ++r) {
      if (!there_.put(turn) || !back_.take(turn)) return 0;
    }
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  Pipe wanted_, took_, there_, back_;
  std::array<std::atomic<int>, 2> ids_{};
  std::thread leader_, follower_;
};

}  // namespace

std::unique_ptr<Handover> start_handover() {
  try {
    auto two = std::make_unique<TwoThreads>();
    if (two->works()) return two;
  } catch (const std::system_error&) {  // no more threads
  }
  return nullptr;
}

}  // namespace charm::os
