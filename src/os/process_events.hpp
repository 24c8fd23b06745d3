// The kernel's announcements of new threads and processes (netlink, the process connector). Where they may be read,
// /proc need not be searched while nothing is new. The kernel allows it to root, and since 6.6 to others outside of
// containers.
#pragma once

#include <memory>
#include <vector>

namespace charm::os {

struct Birth {
  int process = 0;         ///< that it belongs to
  int thread = 0;          ///< the new one; the process itself where that is new
  int parent_process = 0;  ///< of the thread that made it
};

class ProcessEvents {
 public:
  /// Nothing where the kernel does not allow it, or does not answer. Does not wait.
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
