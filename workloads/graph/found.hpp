// The queue of a breadth-first search that several workers fill.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "workloads/graph/csr.hpp"
#include "workloads/relaxed.hpp"

namespace charm::workloads {

/// Vertices that one loop body found, handed to the shared queue in lots: one atomic addition a lot.
class Found {
 public:
  Found(Array<Vertex>& queue, Index& tail) : queue_(queue), tail_(tail) {}
  Found(const Found&) = delete;
  Found& operator=(const Found&) = delete;
  ~Found() { flush(); }
  void add(Vertex v) {
    if (count_ == lot_.size()) flush();
    lot_[count_++] = v;
  }

 private:
  void flush() {
    if (count_ == 0) return;
    Index at = fetch_add(tail_, static_cast<Index>(count_));
    std::copy_n(lot_.begin(), count_, queue_.data() + at);
    count_ = 0;
  }
  Array<Vertex>& queue_;
  Index& tail_;
  std::array<Vertex, 1024> lot_;
  std::size_t count_ = 0;
};

}  // namespace charm::workloads
