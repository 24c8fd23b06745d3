// The GAP benchmark suite's binary files: a graph (`.sg`), and one with weights (`.wsg`). A byte says whether it is
// directed; then come the numbers of arcs and vertices, the offsets of the lists, and the neighbours in 32 bits, with
// weights a weight of 32 bits behind each; of a directed graph the same again for its incoming arcs, which are not
// read, because they say the same. Has the members of EdgeFile that a loader uses. Invariant: nothing is allocated
// before the file's size has been found to agree with its header.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/graph/edge_file.hpp"

namespace charm::workloads {

class SerializedFile {
 public:
  /// Whether a path is that of such a file: its content does not say.
  static bool is_named(std::string_view path) { return path.ends_with(".sg") || path.ends_with(".wsg"); }

  explicit SerializedFile(const std::string& path);

  [[nodiscard]] bool symmetric() const { return !directed_; }
  [[nodiscard]] Index vertices() const { return vertices_; }
  [[nodiscard]] std::optional<Index> undirected_edges() const {
    return directed_ ? std::nullopt : std::optional<Index>(arcs_ / 2);
  }

  std::vector<Piece> next(std::size_t pieces);
  void parse(Piece& piece, bool want_weights) const;
  void check(const std::vector<Piece>& pieces) const;
  void finish() const {}

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void read(void* to, std::size_t bytes);
  void check_offsets() const;
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const;

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  bool weighted_;
  bool directed_ = false;
  Index size_ = 0;
  Index arcs_ = 0;
  Index vertices_ = 0;
  Index done_ = 0;  ///< arcs handed out
  std::vector<Index> offsets_;
  std::vector<char> block_;
};

}  // namespace charm::workloads
