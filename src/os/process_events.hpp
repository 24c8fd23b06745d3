// The kernel's own announcements of threads and processes that begin (netlink, the process connector): where they may
// be read, nobody need look through /proc to find out that nothing is new. The kernel allows it to root, and since 6.6
// to others outside of containers.
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
  /// Takes what has been announced since the last call. \returns false where some of it was lost, or the kernel has not
  /// confirmed yet that it announces: then look for yourself.
  bool take(std::vector<Birth>& births);

 private:
  explicit ProcessEvents(int socket) : socket_(socket) {}
  int socket_;
  bool confirmed_ = false;
};

}  // namespace charm::os
