// Reads large text files, plain or gzip, in blocks of whole lines, and makes the error messages that point at
// a line. Invariant: lines are numbered from 1 in the uncompressed text, and every complaint about content is
// FILE:LINE: what; remedy.
#pragma once

#include <charm/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/files/byte_source.hpp"
#include "workloads/files/input_file.hpp"

namespace charm::workloads {

/// The position in the file at which a block of lines begins.
struct TextBlock {
  std::string_view text;  ///< whole lines; the last of the file may lack its newline
  std::int64_t line = 1;
};

/// What a file is to hold, as the messages about one that cannot be read say it.
struct FileKind {
  const char* name = "graph";
  const char* formats = "an edge list or a Matrix Market file";
  std::size_t longest_line = std::size_t{1} << 30;  ///< a block of memory has to hold it
};

class TextFile {
 public:
  explicit TextFile(InputFile input, FileKind kind = {});

  /// The next lines, about block_bytes of them; empty text at the end. The view holds until the next call.
  TextBlock next();
  [[nodiscard]] const std::string& path() const { return input_.path(); }
  [[nodiscard]] const InputFile& input() const { return input_; }

 private:
  static constexpr std::size_t block_bytes = std::size_t{16} << 20;

  InputFile input_;
  FileKind kind_;
  ByteSource bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< beginning of the text behind the last block
  std::size_t end_ = 0;
  std::int64_t line_ = 1;
  bool at_end_ = false;
  bool first_ = true;
};

std::int64_t count_lines(std::string_view text);

/// `text` cut into about `pieces` parts at line ends, none of them empty.
std::vector<std::string_view> cut_at_lines(std::string_view text, std::size_t pieces);

[[nodiscard]] Error bad_line(const std::string& path, std::int64_t line, const std::string& what,
                             const std::string& remedy);

/// A field as it may stand in a one-line message: quoted, cut, and without control characters.
std::string shown(std::string_view field);

}  // namespace charm::workloads
