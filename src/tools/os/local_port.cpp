#include "tools/os/local_port.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
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

struct SocketFile {
  int number = -1;
  ~SocketFile() {
    if (number >= 0) close(number);
  }
};

using Moment = std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<double>>;

bool becomes_ready(int file, short what, Moment end) {
  const double left_ms = std::chrono::duration<double, std::milli>(end - std::chrono::steady_clock::now()).count();
  pollfd waiting{file, what, 0};
  return left_ms > 0 && poll(&waiting, 1, static_cast<int>(left_ms) + 1) == 1;
}

bool is_connected(int file, const Question& question, Moment end) {
  int state = -1;
  if (question.socket.empty()) {
    const sockaddr_in address = loopback(question.port);
    state = connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } else {
    sockaddr_un address{};
    if (question.socket.size() >= sizeof address.sun_path) return false;
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, question.socket.c_str(), question.socket.size() + 1);
    state = connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  if (state == 0) return true;
  int error = 0;
  socklen_t size = sizeof error;
  return errno == EINPROGRESS && becomes_ready(file, POLLOUT, end) &&
         getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

}  // namespace

bool answers(const Question& question, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const int family = question.socket.empty() ? AF_INET : AF_UNIX;
  const SocketFile file{socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (file.number < 0 || !is_connected(file.number, question, end)) return false;
  for (std::size_t sent = 0; sent < question.text.size();) {
    const ssize_t now =
        send(file.number, question.text.data() + sent, question.text.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (now < 0 && (errno != EAGAIN || !becomes_ready(file.number, POLLOUT, end))) return false;
    if (now > 0) sent += static_cast<std::size_t>(now);
  }
  if (question.text.empty()) return true;
  constexpr std::size_t most = std::size_t{1} << 20U;
  std::string reply;
  while (reply.size() < most && becomes_ready(file.number, POLLIN, end)) {
    std::array<char, 4096> part{};
    const ssize_t got = recv(file.number, part.data(), part.size(), MSG_DONTWAIT);
    if (got <= 0) return false;
    reply.append(part.data(), static_cast<std::size_t>(got));
    if (reply.find(question.answer) != std::string::npos) return true;
  }
  return false;
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
