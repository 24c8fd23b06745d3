// The decision file: a running program writes its decisions to a small file that only its user can read (setting
// decision_file). `charm top` reads it.
//
// The file has lines of JSON: first a line about the program, then one for each decision, the latest last. A line is
// written by one call, so a reader sees whole lines, except perhaps the last. Before the file exceeds `most_bytes` it
// is written anew with the latest decisions. It is in $XDG_RUNTIME_DIR/charm, else in charm-UID of the folder for
// temporary files, and its name is the process id. A program that is killed leaves it behind, and the next one that
// writes such a file removes it. A reader must check everything: the process may have ended, and its id may have been
// reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "os/files/private_file.hpp"

namespace charm::trace {

/// The path of a file, "…/charm/4242.decisions". \param folder the folder of all decision files; empty: the user's.
std::string decision_file_path(int process, const std::string& folder = "");

class DecisionFile {
 public:
  static constexpr std::size_t most_bytes = 65536;
  static constexpr std::size_t kept_lines = 32;

  /// \param policy the policy of the program; it and the number of workers are in the first line.
  /// If the file cannot be written no decision is written, and error() says why.
  DecisionFile(std::string policy, std::size_t workers, const std::string& folder = "");
  ~DecisionFile() = default;
  DecisionFile(const DecisionFile&) = delete;
  DecisionFile& operator=(const DecisionFile&) = delete;

  /// \param line a JSON object without line breaks. One system call; not for several threads at once.
  void append(const std::string& line) noexcept;
  [[nodiscard]] const std::string& error() const { return file_.error(); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void begin() noexcept;
  bool write(const std::string& text) noexcept;

  std::string path_;
  std::string policy_;
  std::size_t workers_;
  int process_ = 0;
  os::PrivateFile file_;
  std::size_t bytes_ = 0;
  std::uint64_t total_ = 0;
  std::deque<std::string> latest_;
};

}  // namespace charm::trace
