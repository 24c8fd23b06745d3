// The kernel's announcements of new threads and processes (netlink, the process connector). If they may be read,
// /proc need not be searched while nothing is new. The kernel allows this to root, and since 6.6 to others outside of
// containers.
#pragma once

#include <memory>
#include <vector>

namespace charm::os {

struct Birth {
  int process = 0;         ///< the process of the new thread
  int thread = 0;          ///< the new thread; of a new process its first one
  int parent_process = 0;  ///< the process of the thread that made it
};

class ProcessEvents {
 public:
  /// Subscribes; null if the kernel does not allow it, or does not answer. Does not wait.
  static std::unique_ptr<ProcessEvents> open();
  ~ProcessEvents();
  ProcessEvents(const ProcessEvents&) = delete;
  ProcessEvents& operator=(const ProcessEvents&) = delete;

  [[nodiscard]] int descriptor() const { return socket_; }
  /// Reads the announcements since the last call. \returns false if some were lost, or the kernel has not confirmed the
  /// subscription yet: then search /proc.
  bool take(std::vector<Birth>& births);

 private:
  explicit ProcessEvents(int socket) : socket_(socket) {}
  int socket_;
  bool confirmed_ = false;
};

}  // namespace charm::os
