// Says that a wait takes long in which nothing can be looked at, such as MPI_Init's for the other ranks.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace charm::remote {

/// As long as it lasts; a notice is printed when `patience` is over.
class Impatience {
 public:
  Impatience(std::chrono::milliseconds patience, std::string key, std::string text);
  ~Impatience();
  Impatience(const Impatience&) = delete;
  Impatience& operator=(const Impatience&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace charm::remote
