// A claim on a process: whoever sets the masks of its threads says so, so that a second one does not set them as well.
//
// It is a socket with an abstract name (unix(7)), which the kernel takes away with the process that holds it. Names are
// those of a network namespace; process ids are those of a PID namespace, which the name contains.
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

  /// The process that has claimed this one, or one that this one descends from with all descendants; nothing where
  /// there is none. A claim of another user, who is not root, does not count: it would be a way to keep others from a
  /// process.
  static std::optional<int> holder(const Processes& processes, const ProcessIdentity& process);

 private:
  explicit ProcessClaim(int socket) : socket_(socket) {}
  int socket_;
};

}  // namespace charm::os
