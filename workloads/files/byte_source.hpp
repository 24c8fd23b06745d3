// The bytes of a file, unpacked by zlib where it is gzip; the content decides, not the name. Unlike gzread() it does
// not pass over what stands behind the end of a gzip stream, where somebody has appended text that is not packed.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct z_stream_s;

namespace charm::workloads {

class ByteSource {
 public:
  /// \param kind what the file is to hold, for errors. \throws Error (bad_input): no regular file that can be read.
  ByteSource(const std::string& path, const char* kind);
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  ~ByteSource();

  struct Problem {
    std::string what;  ///< empty: none
    std::string remedy;
  };
  struct Got {
    std::size_t bytes = 0;  ///< 0: the end; what came before a problem counts
    Problem problem;
  };
  Got read(std::span<char> room);

  [[nodiscard]] bool empty() const { return unread().empty() && at_end_; }
  /// Of the file itself.
  [[nodiscard]] std::size_t file_bytes() const { return file_bytes_; }
  [[nodiscard]] bool is_gzip() const { return unpacking_ != nullptr; }
  /// The first bytes of the file itself, before anything is read.
  [[nodiscard]] std::string_view beginning() const { return unread(); }

 private:
  [[nodiscard]] std::string_view unread() const { return {packed_.data() + begin_, end_ - begin_}; }
  bool refill();
  Got unpack(std::span<char> room);
  Problem begin_next_stream();

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::unique_ptr<z_stream_s> unpacking_;  ///< null: the file is plain
  std::vector<char> packed_;               ///< bytes of the file
  std::size_t file_bytes_ = 0;
  std::size_t begin_ = 0;  ///< of those that were not read yet
  std::size_t end_ = 0;
  bool at_end_ = false;  ///< no more bytes in the file
  bool between_streams_ = false;
};

}  // namespace charm::workloads
