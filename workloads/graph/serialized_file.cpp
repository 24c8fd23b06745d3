// The GAP benchmark suite's binary files (see serialized_file.hpp).
#include "workloads/graph/serialized_file.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>
#include <sys/stat.h>

namespace charm::workloads {
namespace {

constexpr Index arcs_of_block = Index{1} << 20;
constexpr const char* copy_again = "the file is truncated, or has another format: copy it again";

}  // namespace

void SerializedFile::fail(const std::string& what, const std::string& remedy) const {
  throw Error(Errc::bad_input, fmt::format("{}: {}", path_, what), remedy);
}

SerializedFile::SerializedFile(const std::string& path) : path_(path), weighted_(path.ends_with(".wsg")) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) fail(std::strerror(errno), "give the path of a graph file that can be read");
  if (!S_ISREG(status.st_mode)) fail("not a regular file", "save the graph to a file: it may be read twice");
  file_.reset(std::fopen(path.c_str(), "rb"));
  if (file_ == nullptr) fail(std::strerror(errno), "give the path of a graph file that can be read");
  size_ = status.st_size;
  constexpr Index header = 1 + 2 * Index{sizeof(Index)};
  if (size_ < header) fail(fmt::format("{} bytes are less than a header", size_), copy_again);
  std::uint8_t directed = 0;
  read(&directed, 1);
  read(&arcs_, sizeof arcs_);
  read(&vertices_, sizeof vertices_);
  if (directed > 1) fail(fmt::format("its first byte is {}, not 0 or 1", directed), copy_again);
  directed_ = directed == 1;
  if (vertices_ < 1 || vertices_ > max_vertices) fail(fmt::format("it claims {} vertices", vertices_), copy_again);
  // Both numbers are at most the size, so that the sum below cannot overflow.
  const Index arc = weighted_ ? 8 : 4;
  const bool possible = arcs_ >= 0 && arcs_ <= size_ / arc && vertices_ <= size_ / Index{sizeof(Index)};
  const Index lists = possible ? (vertices_ + 1) * Index{sizeof(Index)} + arcs_ * arc : 0;
  if (!possible || header + lists * (directed_ ? 2 : 1) != size_) {
    fail(fmt::format("{} bytes are not the size of a {}graph of {} vertices and {} arcs{}", size_,
                     directed_ ? "directed " : "", vertices_, arcs_, weighted_ ? " with weights" : ""),
         "the file is truncated, or has another ending than its format: .sg without weights, .wsg with them");
  }
  offsets_.resize(static_cast<std::size_t>(vertices_) + 1);
  read(offsets_.data(), offsets_.size() * sizeof(Index));
  check_offsets();
}

void SerializedFile::check_offsets() const {
  if (offsets_.front() != 0 || offsets_.back() != arcs_)
    fail(fmt::format("its lists are from {} to {} of {} arcs", offsets_.front(), offsets_.back(), arcs_), copy_again);
  const auto descent = std::is_sorted_until(offsets_.begin(), offsets_.end());
  if (descent == offsets_.end()) return;
  fail(fmt::format("the list of vertex {} ends before it begins", descent - offsets_.begin() - 1), copy_again);
}

void SerializedFile::read(void* to, std::size_t bytes) {
  if (std::fread(to, 1, bytes, file_.get()) != bytes) fail("cannot be read to its end", copy_again);
}

std::vector<Piece> SerializedFile::next(std::size_t pieces) {
  const std::size_t arc = weighted_ ? 8 : 4;
  const Index count = std::min(arcs_of_block, arcs_ - done_);
  block_.resize(static_cast<std::size_t>(count) * arc);
  read(block_.data(), block_.size());
  const Index each = std::max<Index>(1, count / std::max<Index>(1, static_cast<Index>(pieces)));
  std::vector<Piece> cut;
  for (Index begin = 0; begin < count; begin += each) {
    Piece& piece = cut.emplace_back();
    const Index length = std::min(each, count - begin);
    piece.text = {block_.data() + static_cast<std::size_t>(begin) * arc, static_cast<std::size_t>(length) * arc};
    piece.first = done_ + begin;
  }
  done_ += count;
  return cut;
}

void SerializedFile::parse(Piece& piece, bool want_weights) const {
  const std::size_t arc = weighted_ ? 8 : 4;
  piece.edges.reserve(piece.text.size() / arc);
  auto list = std::upper_bound(offsets_.begin(), offsets_.end(), piece.first) - 1;
  Index number = piece.first;
  for (std::size_t at = 0; at < piece.text.size(); at += arc, ++number) {
    while (number >= list[1]) ++list;
    Vertex to = 0;
    std::memcpy(&to, piece.text.data() + at, sizeof to);
    const auto from = static_cast<Vertex>(list - offsets_.begin());
    if (to < 0 || to >= vertices_) {
      piece.error = {piece.text.data() + at,
                     fmt::format("vertex {} has the neighbour {} of {} vertices", from, to, vertices_), copy_again};
      return;
    }
    piece.edges.push_back({from, to});
    if (!weighted_) continue;
    std::int32_t weight = 0;
    std::memcpy(&weight, piece.text.data() + at + sizeof to, sizeof weight);
    piece.lightest = piece.weighted == nullptr ? weight : std::min(piece.lightest, double{1} * weight);
    piece.heaviest = piece.weighted == nullptr ? weight : std::max(piece.heaviest, double{1} * weight);
    piece.weighted = piece.text.data();
    if (want_weights) piece.weights.push_back(weight);
  }
}

void SerializedFile::check(const std::vector<Piece>& pieces) const {
  for (const Piece& piece : pieces)
    if (piece.error) fail(piece.error->what, piece.error->remedy);
}

}  // namespace charm::workloads
