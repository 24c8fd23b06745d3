// Small files by which the programs of one user exchange information: in a folder that only this user can enter, one
// file for each process, named "<pid><suffix>". In a folder that all users can write to, another user may have made the
// folder first, so the owner and kind of everything found there are checked, and links are never followed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "os/files/own_file.hpp"

namespace charm::os {

/// $XDG_RUNTIME_DIR/charm, else charm-UID in the folder for temporary files.
std::string private_folder();

/// Makes the folder if it does not exist. \return why it cannot be used; empty where it can.
std::string prepare_private_folder(const std::string& folder);

/// Removes the files with `suffix` of processes that have ended and left them behind.
void remove_files_of_ended_processes(const std::string& folder, std::string_view suffix);

/// The contents of a file of this user, at most `most_bytes`; nothing if there is none, or it is not a plain
/// file that belongs to this user.
std::optional<std::string> read_private_file(const std::string& path, std::size_t most_bytes);

/// A file of this process, created at its path and removed with this object. In a child of fork() the file stays.
class PrivateFile {
 public:
  /// Creates the file. If that fails is_open() is false and `error()` says why.
  explicit PrivateFile(const std::string& path);
  ~PrivateFile();
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;

  /// Whether the file is open; false in a child of fork(), too.
  [[nodiscard]] bool is_open() const noexcept;
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  /// Appends text by one system call. \return bytes written.
  std::size_t append(std::string_view text) noexcept;
  /// Empties the file. \return false if the kernel refuses.
  bool clear() noexcept;

 private:
  std::string path_;
  std::string error_;
  Descriptor file_;
  int process_;
};

}  // namespace charm::os
