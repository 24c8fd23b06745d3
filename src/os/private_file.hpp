// Small files by which the programs of one user exchange information: in a folder that only this user can enter, one
// file for each process, named "<pid><suffix>". In a folder that everybody can write to, another user may have made the
// folder first, so the owner and kind of everything found there are checked, and links are never followed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace charm::os {

/// $XDG_RUNTIME_DIR/charm, else charm-UID in the folder for temporary files.
std::string private_folder();

/// Makes the folder if it does not exist. \return why it cannot be used; empty where it can.
std::string prepare_private_folder(const std::string& folder);

/// Removes the files with `suffix` of processes that have ended and left them behind.
void remove_files_of_ended_processes(const std::string& folder, std::string_view suffix);

/// What is in a file of this user, but not more than `most_bytes`; nothing where there is none, or it is not a plain
/// file of his.
std::optional<std::string> read_private_file(const std::string& path, std::size_t most_bytes);

/// A file of this process, new at its path and taken away with this object; a child of fork() leaves it where it is.
class PrivateFile {
 public:
  /// Where it cannot be made is_open() is false and `error()` says why.
  explicit PrivateFile(const std::string& path);
  ~PrivateFile();
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;

  /// False in a child of fork(), too.
  [[nodiscard]] bool is_open() const noexcept;
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  /// By one system call, at the end. \return bytes written.
  std::size_t append(std::string_view text) noexcept;
  /// \return false where the kernel refuses.
  bool clear() noexcept;

 private:
  std::string path_;
  std::string error_;
  int file_ = -1;
  int process_;
};

}  // namespace charm::os
