// A file to be read, and how much memory its own numbers may ask for: a line `1 2000000000` asks for 16 GB of vertices,
// and 300 KB of gzip hold 800 MB of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace charm::workloads {

class InputFile {
 public:
  // Converts from a path, because most callers have no more to say.
  InputFile(std::string path) : path_(std::move(path)) {}
  InputFile(const char* path) : path_(path) {}
  /// \param most bytes of memory that reading it may take; 0: 64 MiB and 64 times the file's size.
  InputFile(std::string path, std::uint64_t most) : path_(std::move(path)), most_(most) {}

  [[nodiscard]] const std::string& path() const { return path_; }

  /// \throws Error (bad_input) if so many bytes are more than reading the file may take, or more than the machine has.
  /// \param what needs them, as "3 vertices"; \param remedy besides allowing it.
  void require(double bytes, std::string_view what, std::string_view remedy) const;

 private:
  std::string path_;
  std::uint64_t most_ = 0;
};

}  // namespace charm::workloads
