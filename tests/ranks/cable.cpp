// An Ethernet cable between two network interfaces that it makes, which delays frames, mixes their order and loses
// some. For kernels without tc netem.
//   cable NAME NAME DELAY_MS JITTER_MS LOSS_PERCENT
// It prints "ready" when the interfaces are there, which may then be moved to other network namespaces. It ends with
// its standard input, and says what it has done.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <queue>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t most_on_the_way = 20000;  // further frames are lost, as in a full queue

struct Frame {
  Clock::time_point due;
  std::uint64_t number;
  int to;
  std::vector<char> bytes;
  friend bool operator<(const Frame& a, const Frame& b) {  // the next one is the greatest
    return a.due != b.due ? a.due > b.due : a.number > b.number;
  }
};

int make_interface(const char* name) {
  const int file = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  std::strncpy(request.ifr_name, name, sizeof request.ifr_name - 1);
  if (file < 0 || ioctl(file, TUNSETIFF, &request) != 0) {
    std::perror("cable: /dev/net/tun");
    std::exit(1);
  }
  return file;
}

double number(const char* text) {
  double value = -1;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error != std::errc() || *end != '\0' || value < 0) {
    std::fprintf(stderr, "cable: '%s' is no number from 0 on\n", text);
    std::exit(2);
  }
  return value;
}

}  // namespace

int main(int count, char** words) {
  if (count != 6) return 2;
  const std::chrono::duration<double, std::milli> delay(number(words[3]));
  const double jitter = number(words[4]);
  const double loss = number(words[5]) / 100;
  const std::array<int, 2> ends = {make_interface(words[1]), make_interface(words[2])};
  std::puts("ready");
  std::fflush(stdout);

  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit;
  std::priority_queue<Frame> on_the_way;
  std::uint64_t frames = 0, lost = 0, overtaken = 0;
  std::array<std::uint64_t, 2> last{};
  std::array<char, 70000> bytes{};
  for (;;) {
    int wait_ms = -1;
    if (!on_the_way.empty()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(on_the_way.top().due - Clock::now());
      wait_ms = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    std::array<pollfd, 3> files = {pollfd{ends[0], POLLIN, 0}, pollfd{ends[1], POLLIN, 0}, pollfd{0, POLLIN, 0}};
    poll(files.data(), files.size(), wait_ms);
    if (files[2].revents != 0) break;
    for (int from = 0; from < 2; ++from) {
      const auto at = static_cast<std::size_t>(from);
      for (ssize_t got = 0; (got = read(ends[at], bytes.data(), bytes.size())) > 0;) {
        ++frames;
        if (unit(random) < loss || on_the_way.size() >= most_on_the_way) {
          ++lost;
          continue;
        }
        const std::chrono::duration<double, std::milli> takes(delay.count() + jitter * (2 * unit(random) - 1));
        on_the_way.push({Clock::now() + std::chrono::duration_cast<Clock::duration>(takes), frames, 1 - from,
                         std::vector<char>(bytes.data(), bytes.data() + got)});
      }
    }
    while (!on_the_way.empty() && on_the_way.top().due <= Clock::now()) {
      const Frame& frame = on_the_way.top();
      const auto to = static_cast<std::size_t>(frame.to);
      if (frame.number < last[to]) ++overtaken;
      last[to] = std::max(last[to], frame.number);
      if (write(ends[to], frame.bytes.data(), frame.bytes.size()) < 0) ++lost;  // the interface is down
      on_the_way.pop();
    }
  }
  std::fprintf(stderr, "cable: %llu frames, %llu lost, %llu overtaken\n", static_cast<unsigned long long>(frames),
               static_cast<unsigned long long>(lost), static_cast<unsigned long long>(overtaken));
}
