#include "ranks/impatience.hpp"

#include <system_error>
#include <utility>

#include "base/notices.hpp"

namespace charm::remote {

Impatience::Impatience(std::chrono::milliseconds patience, std::string key, std::string text) {
  try {
    thread_ = std::thread([this, patience, key = std::move(key), text = std::move(text)] {
      std::unique_lock lock(mutex_);
      if (!changed_.wait_for(lock, patience, [this] { return over_; })) base::notice(key, text);
    });
  } catch (const std::system_error&) {  // no thread is left: then nothing is said
  }
}

Impatience::~Impatience() {
  {
    const std::lock_guard guard(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

}  // namespace charm::remote
