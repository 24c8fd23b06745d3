// Blocks of lines from plain and gzip files (see text.hpp).
#include "workloads/files/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <zlib.h>

#include <fmt/format.h>
#include <sys/stat.h>

namespace charm::workloads {

TextFile::TextFile(std::string path, FileKind kind) : path_(std::move(path)), kind_(kind) {
  const std::string readable = fmt::format("give the path of a {} file that can be read", kind.name);
  struct stat status{};
  if (stat(path_.c_str(), &status) != 0) {
    throw Error(Errc::bad_input, fmt::format("{}: {}", path_, std::strerror(errno)), readable);
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(Errc::bad_input, fmt::format("{}: not a regular file", path_),
                fmt::format("save the {} to a file: it may be read twice", kind.name));
  }
  if (status.st_size == 0) {
    throw Error(Errc::bad_input, fmt::format("{}: the file is empty", path_), fmt::format("give {}", kind.formats));
  }
  file_ = gzopen(path_.c_str(), "rb");
  if (file_ == nullptr) {
    throw Error(Errc::bad_input, fmt::format("{}: {}", path_, std::strerror(errno)), readable);
  }
  gzbuffer(file_, 1U << 20);
  if (path_.ends_with(".gz") && gzdirect(file_) == 1) {
    gzclose_r(file_);
    file_ = nullptr;
    throw Error(Errc::bad_input, fmt::format("{}: named .gz but not gzip", path_),
                "rename it, or compress it with gzip");
  }
}

TextFile::~TextFile() {
  if (file_ != nullptr) gzclose_r(file_);
}

void TextFile::fail_reading(std::int64_t line) {
  int code = Z_OK;
  std::string message = gzerror(file_, &code);
  if (code == Z_BUF_ERROR) {
    throw bad_line(path_, line, "the gzip stream ends in the middle",
                   "the file is truncated: copy or download it again");
  }
  if (code == Z_ERRNO) message = std::strerror(errno);
  throw bad_line(path_, line, "cannot be read: " + message, "the file is damaged: copy or download it again");
}

TextBlock TextFile::next() {
  if (buffer_.empty()) buffer_.resize(block_bytes);
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  std::size_t lines_end = 0;
  while (!at_end_ && lines_end == 0) {
    if (end_ == buffer_.size()) {  // a line longer than the buffer
      if (std::memchr(buffer_.data(), 0, end_) != nullptr)
        throw bad_line(path_, line_, "zero bytes in it: not a text file", fmt::format("give {}", kind_.formats));
      if (buffer_.size() > kind_.longest_line / 2)
        throw bad_line(path_, line_, fmt::format("the line is longer than {} bytes", buffer_.size()),
                       fmt::format("give {}", kind_.formats));
      buffer_.resize(buffer_.size() * 2);
    }
    std::size_t searched = end_;
    int got = gzread(file_, buffer_.data() + end_, static_cast<unsigned>(std::min(buffer_.size() - end_, block_bytes)));
    int code = Z_OK;
    gzerror(file_, &code);
    if (got < 0 || code != Z_OK) {
      fail_reading(line_ + count_lines({buffer_.data(), end_ + static_cast<std::size_t>(std::max(got, 0))}));
    }
    if (got == 0) at_end_ = true;
    end_ += static_cast<std::size_t>(got);
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
