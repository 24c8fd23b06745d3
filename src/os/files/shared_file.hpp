// A small file that several processes of one user read and write in turns under a lock (an open file description lock,
// which the kernel releases when its holder dies). In /dev/shm it is shared memory.
//
// The file is read and written by system calls and never mapped: if another process shortens the file, a reader must
// not be killed by that.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "os/files/own_file.hpp"

namespace charm::os {

class SharedFile {
 public:
  /// Opens the file, or makes it, for this user alone.
  /// \throws Error (system) that says what is wrong with it: another owner, a link, open to others, no such folder.
  static std::unique_ptr<SharedFile> open(const std::string& path);
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// The lock: while it exists no other process has one.
  class Turn {
   public:
    explicit Turn(SharedFile& file);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    /// Whether the lock was taken. If it was not, after some 20 ms, nothing may be read or written.
    [[nodiscard]] bool granted() const { return granted_; }

   private:
    SharedFile& file_;
    bool granted_ = false;
  };

  /// Reads at most `most` bytes, from `offset` on. Call it within a Turn.
  [[nodiscard]] std::string read(std::size_t most, std::size_t offset = 0) const;
  /// Writes `bytes` from `offset` on. Call it within a Turn. \returns false if not all could be written.
  bool write(std::size_t offset, const std::string& bytes);
  bool cut(std::size_t bytes);
  /// Whether the path still leads to this file: it may have been replaced or removed.
  [[nodiscard]] bool is_still_there() const;
  /// The same number in all processes of this machine that have opened this file; another one for another file.
  [[nodiscard]] std::uint64_t identity() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  SharedFile(Descriptor descriptor, std::string path);
  Descriptor descriptor_;
  std::string path_;
};

}  // namespace charm::os
