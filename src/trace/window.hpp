// The window: what a running program tells others of its decisions, in a small file that only its user can read
// (setting publish). `charm top` looks into it.
//
// Lines of JSON: first who publishes, then a line a decision, the latest last. A line is written by one call, so a
// reader sees whole lines but perhaps the last; the file is begun anew with the latest decisions before it outgrows
// `most_bytes`. It lies in $XDG_RUNTIME_DIR/charm, else in charm-UID of the folder for temporary files, and is named by
// the process. A program that is killed leaves it behind, and the next one that publishes sweeps it away. Whoever reads
// it believes nothing: the process may be long gone, and its number another's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace charm::trace {

/// "…/charm/4242.window". \param folder of all of them; empty: the user's.
std::string window_path(int process, const std::string& folder = "");

class Window {
 public:
  static constexpr std::size_t most_bytes = 65536;
  static constexpr std::size_t kept_lines = 32;

  /// \param about a JSON object's members without braces, for the first line ("\"policy\": \"local\"").
  /// Where the file cannot be written nothing is published, and error() says why.
  explicit Window(const std::string& about, const std::string& folder = "");
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// \param line a JSON object without line breaks. One system call; not for several threads at once.
  void publish(const std::string& line) noexcept;
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void begin() noexcept;
  bool write(const std::string& text) noexcept;

  std::string path_;
  std::string about_;
  std::string error_;
  int file_ = -1;
  int process_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t total_ = 0;
  std::deque<std::string> latest_;
};

}  // namespace charm::trace
