// A file that exists in memory alone, for texts that another process appends to: unlike a pipe it never makes the
// writer wait, and nothing happens to the writer when the reader has gone.
#pragma once

#include <string>

namespace charm::os {

class MemoryFile {
 public:
  /// \throws Error (system) if the kernel refuses it.
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// In a child, before exec: the file as descriptor `number`, open for appending. Async-signal-safe.
  void give_as(int number) const;
  /// The end of the text, at most 256 bytes. Removes the text when it has become longer than 4 KiB; what is written at
  /// that moment may be lost.
  [[nodiscard]] std::string end() const;

 private:
  int file_ = -1;
};

/// Whether a descriptor is open that programs started by this process inherit.
bool is_inherited(int descriptor);

}  // namespace charm::os
