// A file of fixed size that one process rewrites in place and many read, whole or not at all: a seqlock through system
// calls. The first eight bytes are the sequence number, odd while the rest is being written. Nothing is mapped, because
// a truncated mapping would kill the reader, and readers keep nothing open (os/memory/bare.hpp reads it).
//
// As long as the writer has the file open it holds a lock on another one beside it ("PATH.writer"), which tells others
// that it lives. Only the writer's user can open that, so nobody else can take the lock away.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "os/files/own_file.hpp"

namespace charm::os {

class SequencedFile {
 public:
  /// \param for_all other users may read it, too.
  /// \throws Error (system): no such folder, another's file, a link; (bad_input) where another process writes it.
  static std::unique_ptr<SequencedFile> open(const std::string& path, bool for_all);
  ~SequencedFile();
  SequencedFile(const SequencedFile&) = delete;
  SequencedFile& operator=(const SequencedFile&) = delete;

  /// \param bytes with eight of any value in front, whose place the sequence number takes.
  /// \return false where it could not be written whole: readers then keep what they had.
  bool write(std::string_view bytes);
  /// Whether the path still leads to this file.
  [[nodiscard]] bool is_still_there() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  SequencedFile(Descriptor descriptor, Descriptor turn, std::string path);
  Descriptor turn_;  ///< closed last
  Descriptor descriptor_;
  std::string path_;
  std::uint64_t sequence_ = 0;
};

/// Whether a process has the file open for writing at present. Where the lock is another user's, yes: it cannot be
/// known.
bool has_writer(const std::string& path);

}  // namespace charm::os
