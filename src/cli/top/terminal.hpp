// The terminal as a full screen: its own page, no cursor, keys as they are pressed; and back as it was when this ends,
// by whatever way. Signals come by a descriptor instead of handlers, so that none can come between.
#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <string>
#include <termios.h>
#include <vector>

namespace charm::cli {

/// Signals that end or change what is shown, taken for as long as it lives.
class SignalQueue {
 public:
  SignalQueue();
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// 0: none.
  [[nodiscard]] int next() const;

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

struct Size {
  std::size_t width = 80;
  std::size_t height = 24;
};
/// Of the terminal at `descriptor`; 80 by 24 where it does not tell.
Size terminal_size(int descriptor);

class FullScreen {
 public:
  FullScreen();
  ~FullScreen();
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  void enter();
  void leave();
  /// \return false where the terminal is gone.
  bool draw(const std::vector<std::string>& lines) const;

 private:
  bool entered_ = false;
  bool has_keys_ = false;
  termios before_{};
};

struct Event {
  enum class Kind { tick, key, signal } kind = Kind::tick;
  int value = 0;  // the key or the signal
};
/// Waits for a key (where `keys`), a signal, or the time to come. The end of the keyboard is the key 'q'.
Event wait_for_event(const SignalQueue& signals, bool keys, std::chrono::steady_clock::time_point until);

}  // namespace charm::cli
