// A claim on a process: made by the program that sets the masks of its threads, so that a second one does not set them,
// too.
//
// It is a socket with an abstract name (unix(7)), which the kernel removes with the process that holds it. Names belong
// to a network namespace; process ids belong to a PID namespace, which the name contains.
#pragma once

#include <memory>
#include <optional>

#include "os/processes/processes.hpp"

namespace charm::os {

class ProcessClaim {
 public:
  /// \param descendants whether all processes that descend from it are meant, too.
  /// \returns nothing where another process has claimed it, or where the kernel has no such sockets.
  static std::unique_ptr<ProcessClaim> make(const ProcessIdentity& process, bool descendants);
  ~ProcessClaim();
  ProcessClaim(const ProcessClaim&) = delete;
  ProcessClaim& operator=(const ProcessClaim&) = delete;

  /// The process that has claimed this one, or an ancestor of it with all descendants; nothing if there is none. A
  /// claim of another user except root does not count, because users could otherwise keep others from a process.
  static std::optional<int> holder(const Processes& processes, const ProcessIdentity& process);

 private:
  explicit ProcessClaim(int socket) : socket_(socket) {}
  int socket_;
};

}  // namespace charm::os
