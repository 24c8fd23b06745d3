// Threads outside of tasks that wait, without a time limit, for what does not come as long as this object lives.
#pragma once

#include <charm/charm.hpp>

#include <cstdint>
#include <thread>
#include <vector>

namespace random_programs {

class WaitersOutside {
 public:
  /// \param seed draws what each of them waits for.
  WaitersOutside(int threads, std::uint64_t seed);
  /// Lets them go.
  ~WaitersOutside();
  WaitersOutside(const WaitersOutside&) = delete;
  WaitersOutside& operator=(const WaitersOutside&) = delete;

 private:
  void wait(std::uint64_t kind);

  charm::latch latch_{1};
  charm::channel<int> empty_{1};
  charm::channel<int> full_{1};
  charm::mutex mutex_;
  charm::shared_mutex shared_;
  charm::counting_semaphore<> semaphore_{0};
  charm::condition_variable changed_;
  charm::mutex changes_;
  bool over_ = false;  // under changes_
  std::vector<std::thread> threads_;
};

}  // namespace random_programs
