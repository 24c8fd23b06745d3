// The terminal in full-screen mode: the alternate screen, no cursor, keys as they are pressed. It is restored however
// the program ends. Signals are read from a descriptor instead of handled, so that none can interrupt the restoring.
#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <string>
#include <termios.h>
#include <vector>

namespace charm::os {

enum class Stream { input, output, error };

bool is_terminal(Stream stream) noexcept;

/// Signals that end the program or change the screen; blocked and read from a descriptor while this exists.
class SignalQueue {
 public:
  SignalQueue();
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// The next signal that has arrived; 0: none.
  [[nodiscard]] int next() const;

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

struct TerminalSize {
  std::size_t width = 80;
  std::size_t height = 24;
};
/// The size of the terminal; 80 by 24 if it is not known.
TerminalSize terminal_size(Stream stream);

class FullScreen {
 public:
  FullScreen();
  ~FullScreen();
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  void enter();
  void leave();
  /// Draws the screen. \return false if the terminal is gone.
  bool draw(const std::vector<std::string>& lines) const;

 private:
  bool entered_ = false;
  bool has_keys_ = false;
  termios before_{};
};

struct TerminalEvent {
  enum class Kind { tick, key, signal } kind = Kind::tick;
  int value = 0;  // the key or the signal
};
/// Waits for a key (where `keys`), a signal, or the time to come. The end of the keyboard is the key 'q'.
TerminalEvent wait_for_event(const SignalQueue& signals, bool keys, std::chrono::steady_clock::time_point until);

}  // namespace charm::os
