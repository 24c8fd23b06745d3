#include "trace/window.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#include <sys/stat.h>

#include "os/thread_list.hpp"

namespace charm::trace {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

std::string users_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/') return std::string(runtime) + "/charm";
  const char* temporary = std::getenv("TMPDIR");
  const std::string base = temporary != nullptr && *temporary == '/' ? temporary : "/tmp";
  return base + "/charm-" + std::to_string(geteuid());
}

/// Makes it where it is not there. \return why it cannot be used; empty where it can.
std::string prepare(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return folder + ": " + reason(errno);
  struct stat found{};
  if (lstat(folder.c_str(), &found) != 0) return folder + ": " + reason(errno);
  // In a folder that all may write to, somebody else may have been there first.
  if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid()) return folder + " is not a folder of this user";
  return "";
}

/// Those of programs that were killed before they could take theirs away.
void sweep(const std::string& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ".window") continue;
    const std::string stem = at->path().stem().string();
    int process = 0;
    const auto [stop, wrong] = std::from_chars(stem.data(), stem.data() + stem.size(), process);
    if (wrong != std::errc() || stop != stem.data() + stem.size() || process <= 0) continue;
    if (kill(process, 0) != 0 && errno == ESRCH) unlink(at->path().c_str());
  }
}

}  // namespace

std::string window_path(int process, const std::string& folder) {
  return (folder.empty() ? users_folder() : folder) + "/" + std::to_string(process) + ".window";
}

Window::Window(const std::string& about, const std::string& folder)
    : path_(window_path(getpid(), folder)), about_(about), process_(getpid()) {
  const std::string parent = path_.substr(0, path_.rfind('/'));
  error_ = prepare(parent);
  if (!error_.empty()) return;
  sweep(parent);
  unlink(path_.c_str());  // of a process that had our number
  file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_APPEND, 0600);
  if (file_ < 0) {
    error_ = path_ + ": " + reason(errno);
    return;
  }
  begin();
}

Window::~Window() {
  if (file_ < 0) return;
  close(file_);
  if (getpid() == process_) unlink(path_.c_str());  // a child of fork() has no window to close
}

bool Window::write(const std::string& text) noexcept {
  const ssize_t written = ::write(file_, text.data(), text.size());
  if (written > 0) bytes_ += static_cast<std::size_t>(written);
  return written == static_cast<ssize_t>(text.size());
}

void Window::begin() noexcept {
  try {
    const auto self = os::process(process_);
    std::string text = "{\"charm_window\": 1, \"pid\": " + std::to_string(process_) +
                       ", \"started\": " + std::to_string(self ? self->started : 0) +
                       ", \"before\": " + std::to_string(total_ - latest_.size()) +
                       (about_.empty() ? "" : ", " + about_) + "}\n";
    for (const auto& line : latest_) text += line;
    if (ftruncate(file_, 0) != 0) return;
    bytes_ = 0;
    write(text);
  } catch (...) {
    return;  // no memory: what is there stays
  }
}

void Window::publish(const std::string& line) noexcept {
  if (file_ < 0 || getpid() != process_) return;
  try {
    ++total_;
    if (line.size() + 1 > most_bytes / (2 * kept_lines))
      return;  // the kept ones always leave room; this one is missing
    latest_.push_back(line + "\n");
    if (latest_.size() > kept_lines) latest_.pop_front();
    if (bytes_ + line.size() + 1 > most_bytes)
      begin();
    else
      write(latest_.back());
  } catch (...) {
    return;  // no memory for a line: it is missing, and the program goes on
  }
}

}  // namespace charm::trace
