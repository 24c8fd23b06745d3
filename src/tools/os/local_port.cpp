#include "tools/os/local_port.hpp"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <unistd.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace charm::os {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<in_port_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

bool port_answers(int port) {
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return false;
  const sockaddr_in address = loopback(port);
  bool answers = connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  if (!answers && errno == EINPROGRESS) {
    pollfd waiting{file, POLLOUT, 0};
    int error = 0;
    socklen_t size = sizeof error;
    constexpr int patience_ms = 250;
    answers =
        poll(&waiting, 1, patience_ms) == 1 && getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  }
  close(file);
  return answers;
}

bool socket_answers(const std::string& path) {
  sockaddr_un address{};
  if (path.size() >= sizeof address.sun_path) return false;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return false;
  const bool answers = connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(file);
  return answers;
}

bool port_is_free(int port) {
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return true;
  // As servers do it: a port whose last connections are still in TIME_WAIT is free.
  const int reuse = 1;
  setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
  const sockaddr_in address = loopback(port);
  const bool taken =
      bind(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno == EADDRINUSE;
  close(file);
  return !taken;
}

}  // namespace charm::os
