#include "tools/os/terminal.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <system_error>
#include <unistd.h>

#include <sys/ioctl.h>
#include <sys/signalfd.h>

namespace charm::os {
namespace {

constexpr std::array<int, 7> handled_signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGPIPE};

int descriptor_of(Stream stream) {
  return stream == Stream::input ? STDIN_FILENO : stream == Stream::output ? STDOUT_FILENO : STDERR_FILENO;
}

bool write_all(const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

SignalQueue::SignalQueue() {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int signal : handled_signals) sigaddset(&wanted, signal);
  pthread_sigmask(SIG_BLOCK, &wanted, &before_);
  descriptor_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) {
    throw Error(Errc::system, "cannot read signals (signalfd): " + std::generic_category().message(errno),
                "take --once or --json");
  }
}

SignalQueue::~SignalQueue() {
  close(descriptor_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int SignalQueue::next() const {
  signalfd_siginfo info{};
  return read(descriptor_, &info, sizeof info) == static_cast<ssize_t>(sizeof info) ? static_cast<int>(info.ssi_signo)
                                                                                    : 0;
}

bool is_terminal(Stream stream) noexcept { return isatty(descriptor_of(stream)) != 0; }

TerminalSize terminal_size(Stream stream) {
  winsize size{};
  if (ioctl(descriptor_of(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

FullScreen::FullScreen() { enter(); }
FullScreen::~FullScreen() { leave(); }

void FullScreen::enter() {
  if (entered_) return;
  has_keys_ = is_terminal(Stream::input) && tcgetattr(STDIN_FILENO, &before_) == 0;
  if (has_keys_) {
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // ISIG stays, so Ctrl-C and Ctrl-Z send their signals
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  entered_ = true;
  write_all("\x1b[?1049h\x1b[?25l\x1b[2J");
}

void FullScreen::leave() {
  if (!entered_) return;
  entered_ = false;
  write_all("\x1b[0m\x1b[?25h\x1b[?1049l");
  if (has_keys_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

bool FullScreen::draw(const std::vector<std::string>& lines) const {
  // Overwrite each line and erase its rest, instead of clearing the screen, which would flicker on slow connections.
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? "" : "\r\n") + lines[i] + "\x1b[K";
  return write_all(text + "\x1b[J");
}

TerminalEvent wait_for_event(const SignalQueue& signals, bool keys, std::chrono::steady_clock::time_point until) {
  while (true) {
    if (const int signal = signals.next(); signal != 0) return {TerminalEvent::Kind::signal, signal};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) return {TerminalEvent::Kind::tick, 0};
    std::array<pollfd, 2> watched = {{{signals.descriptor(), POLLIN, 0}, {keys ? STDIN_FILENO : -1, POLLIN, 0}}};
    poll(watched.data(), watched.size(), static_cast<int>(std::min<long long>(left, 1000)));
    if (watched[1].revents == 0) continue;
    unsigned char key = 0;
    const ssize_t got = read(STDIN_FILENO, &key, 1);
    if (got == 1) return {TerminalEvent::Kind::key, key};
    if (got == 0 || (errno != EINTR && errno != EAGAIN)) return {TerminalEvent::Kind::key, 'q'};
  }
}

}  // namespace charm::os
