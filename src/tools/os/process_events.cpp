#include "tools/os/process_events.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unistd.h>

#include <arpa/inet.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <sys/socket.h>

namespace charm::os {
namespace {

/// Asks for announcements (PROC_CN_MCAST_LISTEN).
bool subscribe(int socket) {
  constexpr std::size_t body = sizeof(cn_msg) + sizeof(proc_cn_mcast_op);
  alignas(nlmsghdr) std::array<char, NLMSG_SPACE(body)> request{};
  nlmsghdr header{};
  header.nlmsg_len = NLMSG_LENGTH(body);
  header.nlmsg_type = NLMSG_DONE;
  cn_msg message{};
  message.id.idx = CN_IDX_PROC;
  message.id.val = CN_VAL_PROC;
  message.len = sizeof(proc_cn_mcast_op);
  const proc_cn_mcast_op listen = PROC_CN_MCAST_LISTEN;
  std::memcpy(request.data(), &header, sizeof header);
  std::memcpy(request.data() + NLMSG_HDRLEN, &message, sizeof message);
  std::memcpy(request.data() + NLMSG_HDRLEN + sizeof message, &listen, sizeof listen);
  return send(socket, request.data(), header.nlmsg_len, 0) == static_cast<ssize_t>(header.nlmsg_len);
}

/// Lets only announcements of new threads and the kernel's confirmation pass, so that nothing else wakes the reader.
void keep_births(int socket) {
  constexpr std::uint32_t what = NLMSG_HDRLEN + sizeof(cn_msg) + offsetof(proc_event, what);
  // A load takes network order.
  std::array<sock_filter, 5> steps{{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, what),
                                    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(proc_event::PROC_EVENT_NONE), 1, 0),
                                    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(proc_event::PROC_EVENT_FORK), 0, 1),
                                    BPF_STMT(BPF_RET | BPF_K, 0xffffffff), BPF_STMT(BPF_RET | BPF_K, 0)}};
  const sock_fprog program{static_cast<unsigned short>(steps.size()), steps.data()};
  setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

}  // namespace

std::unique_ptr<ProcessEvents> ProcessEvents::open() {
  const int descriptor = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
  if (descriptor < 0) return nullptr;
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = CN_IDX_PROC;
  const int room = 1 << 20;
  setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  keep_births(descriptor);
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || !subscribe(descriptor)) {
    close(descriptor);
    return nullptr;
  }
  return std::unique_ptr<ProcessEvents>(new ProcessEvents(descriptor));
}

ProcessEvents::~ProcessEvents() { close(socket_); }

bool ProcessEvents::take(std::vector<Birth>& births) {
  bool whole = confirmed_;
  alignas(nlmsghdr) std::array<char, 8192> buffer{};
  for (;;) {
    sockaddr_nl from{};
    socklen_t from_bytes = sizeof from;
    const ssize_t got =
        recvfrom(socket_, buffer.data(), buffer.size(), 0, reinterpret_cast<sockaddr*>(&from), &from_bytes);
    if (got < 0 && errno == ENOBUFS) {
      whole = false;
      continue;
    }
    if (got <= 0) return whole;
    if (from.nl_pid != 0) continue;  // any process may write to the socket; only messages of the kernel count
    auto left = static_cast<std::size_t>(got);
    for (const char* at = buffer.data(); left >= NLMSG_HDRLEN;) {
      nlmsghdr header{};
      std::memcpy(&header, at, sizeof header);
      const std::size_t length = NLMSG_ALIGN(header.nlmsg_len);
      if (header.nlmsg_len < NLMSG_HDRLEN || header.nlmsg_len > left) break;
      cn_msg message{};
      proc_event event{};
      if (header.nlmsg_len >= NLMSG_HDRLEN + sizeof message) {
        std::memcpy(&message, at + NLMSG_HDRLEN, sizeof message);
        const std::size_t room = header.nlmsg_len - NLMSG_HDRLEN - sizeof message;
        std::memcpy(&event, at + NLMSG_HDRLEN + sizeof message, room < sizeof event ? room : sizeof event);
        if (message.id.idx == CN_IDX_PROC && event.what == proc_event::PROC_EVENT_NONE &&
            event.event_data.ack.err == 0) {
          confirmed_ = true;
        }
        if (message.id.idx == CN_IDX_PROC && event.what == proc_event::PROC_EVENT_FORK) {
          births.push_back(
              {event.event_data.fork.child_tgid, event.event_data.fork.child_pid, event.event_data.fork.parent_tgid});
        }
      }
      if (length >= left) break;
      at += length;
      left -= length;
    }
  }
}

}  // namespace charm::os
