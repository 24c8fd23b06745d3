#include "tools/os/process_claim.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <unistd.h>

#include <sys/socket.h>
#include <sys/un.h>

namespace charm::os {
namespace {

struct ClaimAddress {
  sockaddr_un address{};
  socklen_t bytes = 0;
};

ClaimAddress claim_address(const ProcessIdentity& process, bool descendants) {
  // A name that begins with a NUL is no file's.
  std::string name(1, '\0');
  name += "charm-claim-" + std::to_string(process_namespace()) + "-" + std::to_string(process.pid) + "-" +
          std::to_string(process.started) + (descendants ? "-all" : "");
  ClaimAddress of;
  of.address.sun_family = AF_UNIX;
  const std::size_t length = std::min(name.size(), sizeof of.address.sun_path);
  std::copy_n(name.begin(), length, std::begin(of.address.sun_path));
  of.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  return of;
}

int claim_socket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

std::optional<int> claimed_by(const ProcessIdentity& process, bool descendants) {
  const ClaimAddress of = claim_address(process, descendants);
  const int asking = claim_socket();
  if (asking < 0) return std::nullopt;
  std::optional<int> holder;
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (connect(asking, reinterpret_cast<const sockaddr*>(&of.address), of.bytes) == 0 &&
      getsockopt(asking, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && (peer.uid == geteuid() || peer.uid == 0)) {
    holder = peer.pid;
  }
  close(asking);
  return holder;
}

}  // namespace

std::unique_ptr<ProcessClaim> ProcessClaim::make(const ProcessIdentity& process, bool descendants) {
  const ClaimAddress of = claim_address(process, descendants);
  const int socket = claim_socket();
  if (socket < 0) return nullptr;
  std::unique_ptr<ProcessClaim> claim(new ProcessClaim(socket));
  constexpr int most_waiting = 64;  // who asks is not accepted, but it must be able to connect
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&of.address), of.bytes) != 0 ||
      ::listen(socket, most_waiting) != 0)
    return nullptr;
  return claim;
}

ProcessClaim::~ProcessClaim() { close(socket_); }

std::optional<int> ProcessClaim::holder(const Processes& processes, const ProcessIdentity& process) {
  if (const auto holder = claimed_by(process, false)) return holder;
  constexpr int most_ancestors = 256;
  ProcessIdentity at = process;
  for (int i = 0; i < most_ancestors; ++i) {
    if (const auto holder = claimed_by(at, true)) return holder;
    const auto status = processes.status(at.pid);
    if (!status || status->parent <= 1) break;
    const auto parent = processes.status(status->parent);
    if (!parent) break;
    at = {status->parent, parent->started};
  }
  return std::nullopt;
}

}  // namespace charm::os
