// Blocks of lines (see text.hpp).
#include "workloads/files/text.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

namespace charm::workloads {

namespace {

/// What other formats than text and gzip begin with, and how to get text.
struct Foreign {
  std::string_view beginning;
  const char* name;
  const char* remedy;
};
constexpr std::array foreign = {
    Foreign{"BZh", "compressed by bzip2", "unpack it with bunzip2"},
    Foreign{"\xFD"
            "7zXZ",
            "compressed by xz", "unpack it with unxz"},
    Foreign{"\x28\xB5\x2F\xFD", "compressed by zstd", "unpack it with unzstd"},
    Foreign{"PK\x03\x04", "a zip archive", "unpack it with unzip"},
    Foreign{"\xFF\xFE", "text in UTF-16", "convert it with iconv -f UTF-16 -t UTF-8"},
    Foreign{"\xFE\xFF", "text in UTF-16", "convert it with iconv -f UTF-16 -t UTF-8"},
};
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // of UTF-8, which some editors put before text

}  // namespace

TextFile::TextFile(InputFile input, FileKind kind)
    : input_(std::move(input)), kind_(kind), bytes_(input_.path(), kind.name) {
  const std::string& path = input_.path();
  if (bytes_.empty())
    throw Error(Errc::bad_input, fmt::format("{}: the file is empty", path), fmt::format("give {}", kind.formats));
  if (path.ends_with(".gz") && !bytes_.is_gzip())
    throw Error(Errc::bad_input, fmt::format("{}: named .gz but not gzip", path),
                "rename it, or compress it with gzip");
  const std::string_view beginning = bytes_.beginning();
  for (const Foreign& format : foreign)
    if (beginning.starts_with(format.beginning))
      throw Error(Errc::bad_input, fmt::format("{}: the file is {}", path, format.name), format.remedy);
}

TextBlock TextFile::next() {
  if (buffer_.empty()) buffer_.resize(std::clamp(4 * bytes_.file_bytes(), std::size_t{1} << 16, block_bytes));
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  std::size_t lines_end = 0;
  while (!at_end_ && lines_end == 0) {
    if (end_ == buffer_.size()) {  // a line longer than the buffer
      if (std::memchr(buffer_.data(), 0, end_) != nullptr)
        throw bad_line(path(), line_, "zero bytes in it: not a text file", fmt::format("give {}", kind_.formats));
      if (buffer_.size() > kind_.longest_line / 2)
        throw bad_line(path(), line_, fmt::format("the line is longer than {} bytes", buffer_.size()),
                       fmt::format("give {}", kind_.formats));
      input_.require(2.0 * static_cast<double>(buffer_.size()), fmt::format("the bytes of line {}", line_),
                     "break long lines");
      buffer_.resize(buffer_.size() * 2);
    }
    std::size_t searched = end_;
    const std::size_t room = std::min(buffer_.size() - end_, block_bytes);
    const auto [got, problem] = bytes_.read({buffer_.data() + end_, room});
    if (!problem.what.empty())
      throw bad_line(path(), line_ + count_lines({buffer_.data(), end_ + got}), problem.what, problem.remedy);
    if (got == 0) at_end_ = true;
    end_ += got;
    if (first_ && std::string_view(buffer_.data(), end_).starts_with(byte_order_mark))
      std::fill_n(buffer_.begin(), byte_order_mark.size(), ' ');
    first_ = false;
    for (std::size_t i = end_; i > searched; --i) {
      if (buffer_[i - 1] == '\n') {
        lines_end = i;
        break;
      }
    }
  }
  if (at_end_) lines_end = end_;
  TextBlock block{{buffer_.data(), lines_end}, line_};
  line_ += count_lines(block.text);
  begin_ = lines_end;
  return block;
}

std::int64_t count_lines(std::string_view text) { return std::count(text.begin(), text.end(), '\n'); }

std::vector<std::string_view> cut_at_lines(std::string_view text, std::size_t pieces) {
  std::vector<std::string_view> parts;
  const std::size_t size = std::max<std::size_t>(1, text.size() / std::max<std::size_t>(1, pieces));
  while (!text.empty()) {
    std::size_t end = text.find('\n', std::min(size, text.size()) - 1);
    end = end == std::string_view::npos ? text.size() : end + 1;
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return parts;
}

Error bad_line(const std::string& path, std::int64_t line, const std::string& what, const std::string& remedy) {
  return {Errc::bad_input, fmt::format("{}:{}: {}", path, line, what), remedy};
}

std::string shown(std::string_view field) {
  std::string text = "'";
  for (char c : field.substr(0, 40)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (field.size() > 40 ? "...'" : "'");
}

}  // namespace charm::workloads
