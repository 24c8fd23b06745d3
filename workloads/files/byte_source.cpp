#include "workloads/files/byte_source.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <zlib.h>

#include <fmt/format.h>
#include <sys/stat.h>

namespace charm::workloads {
namespace {

constexpr std::size_t packed_bytes = std::size_t{1} << 20;
constexpr std::string_view gzip_mark = "\x1F\x8B";
constexpr int gzip_alone = 15 + 16;  // the window of inflateInit2(), and that a gzip header must stand before

const char* const again = "the file is damaged: copy or download it again";

}  // namespace

ByteSource::ByteSource(const std::string& path, const char* kind) {
  const std::string readable = fmt::format("give the path of a {} file that can be read", kind);
  struct stat status{};
  if (stat(path.c_str(), &status) != 0)
    throw Error(Errc::bad_input, fmt::format("{}: {}", path, std::strerror(errno)), readable);
  if (!S_ISREG(status.st_mode))
    throw Error(Errc::bad_input, fmt::format("{}: not a regular file", path),
                fmt::format("save the {} to a file: it may be read twice", kind));
  file_bytes_ = static_cast<std::size_t>(status.st_size);
  packed_.resize(std::clamp(file_bytes_, gzip_mark.size(), packed_bytes));
  file_.reset(std::fopen(path.c_str(), "rbe"));
  if (file_ == nullptr || !refill())
    throw Error(Errc::bad_input, fmt::format("{}: {}", path, std::strerror(errno)), readable);
  if (!unread().starts_with(gzip_mark)) return;
  unpacking_ = std::make_unique<z_stream>();
  if (inflateInit2(unpacking_.get(), gzip_alone) != Z_OK) throw std::bad_alloc();
}

ByteSource::~ByteSource() {
  if (unpacking_ != nullptr) inflateEnd(unpacking_.get());
}

/// False with errno where the file cannot be read. What was not read yet stays.
bool ByteSource::refill() {
  std::memmove(packed_.data(), packed_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  end_ += std::fread(packed_.data() + end_, 1, packed_.size() - end_, file_.get());
  at_end_ = std::feof(file_.get()) != 0;
  return std::ferror(file_.get()) == 0;
}

ByteSource::Got ByteSource::read(std::span<char> room) {
  if (unpacking_ != nullptr) return unpack(room);
  if (begin_ == end_ && !at_end_ && !refill())
    return {0, {fmt::format("cannot be read: {}", std::strerror(errno)), again}};
  const std::size_t bytes = std::min(room.size(), unread().size());
  std::memcpy(room.data(), packed_.data() + begin_, bytes);
  begin_ += bytes;
  return {bytes, {}};
}

/// Several streams may follow each other in a file, and zeros at its end, as tapes leave them.
ByteSource::Problem ByteSource::begin_next_stream() {
  if (unread().starts_with(gzip_mark)) {
    inflateReset(unpacking_.get());
    between_streams_ = false;
    return {};
  }
  begin_ += std::min(unread().find_first_not_of('\0'), unread().size());
  if (unread().empty()) return {};
  return {"something else stands behind the end of the gzip stream",
          "cut it off, or pack all of the text with gzip; several streams may follow each other"};
}

ByteSource::Got ByteSource::unpack(std::span<char> room) {
  z_stream& stream = *unpacking_;
  Got got;
  while (got.bytes < room.size()) {
    if (unread().size() < gzip_mark.size() && !at_end_ && !refill())  // a mark must not be cut in two
      return {got.bytes, {fmt::format("cannot be read: {}", std::strerror(errno)), again}};
    if (between_streams_) {
      if (got.problem = begin_next_stream(); !got.problem.what.empty() || unread().empty()) return got;
      continue;
    }
    stream.next_in = reinterpret_cast<Bytef*>(packed_.data() + begin_);
    stream.avail_in = static_cast<uInt>(unread().size());
    stream.next_out = reinterpret_cast<Bytef*>(room.data() + got.bytes);
    stream.avail_out = static_cast<uInt>(std::min<std::size_t>(room.size() - got.bytes, 1U << 30));
    const std::size_t asked = stream.avail_out;
    const int code = inflate(&stream, Z_NO_FLUSH);
    begin_ = end_ - stream.avail_in;
    got.bytes += asked - stream.avail_out;
    if (code == Z_STREAM_END) {
      between_streams_ = true;
    } else if (code == Z_BUF_ERROR || (code == Z_OK && unread().empty() && at_end_ && stream.avail_out != 0)) {
      got.problem = {"the gzip stream ends in the middle", "the file is truncated: copy or download it again"};
      return got;
    } else if (code != Z_OK) {
      got.problem = {fmt::format("cannot be read: {}", stream.msg != nullptr ? stream.msg : "bad gzip data"), again};
      return got;
    }
  }
  return got;
}

}  // namespace charm::workloads
