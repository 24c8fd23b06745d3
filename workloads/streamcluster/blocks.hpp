// The parallel loop of Streamcluster, without the type of the runtime, so that the algorithm is compiled once. Points
// are shared out in blocks whose size depends on their number alone, and what is summed up over points is summed up by
// block first: results do not depend on the runtime, nor on the number of workers.
#pragma once

#include <algorithm>
#include <memory>

#include "workloads/executor/parts.hpp"

namespace charm::workloads {

/// A callable f(block, first, last) that is not copied; it outlives the call that it is handed to.
class BlockBody {
 public:
  template <class F>
  BlockBody(const F& f)  // NOLINT(google-explicit-constructor): an argument that stands for the callable
      : object_(std::addressof(f)), call_([](const void* object, Index block, Index first, Index last) {
          (*static_cast<const F*>(object))(block, first, last);
        }) {}
  void operator()(Index block, Index first, Index last) const { call_(object_, block, first, last); }

 private:
  const void* object_;
  void (*call_)(const void*, Index, Index, Index);
};

/// How [0, points) is cut into blocks.
struct Blocks {
  explicit Blocks(Index count_of_points)
      : points(count_of_points), size(std::max(Index{64}, (count_of_points + 255) / 256)) {}

  [[nodiscard]] Index count() const { return (points + size - 1) / size; }

  Index points;
  Index size;
};

/// Runs a body for every block, each once, on the workers of a runtime.
class BlockLoop {
 public:
  virtual ~BlockLoop() = default;
  virtual void run(const Blocks& blocks, const BlockBody& body) = 0;
  [[nodiscard]] virtual int workers() const = 0;
  [[nodiscard]] virtual int worker() const = 0;  ///< that runs the calling body
  /// Where arrays lie that loops go over.
  [[nodiscard]] virtual const ArrayPlacement& placement() const = 0;
};

template <Executor E>
class ExecutorLoop final : public BlockLoop {
 public:
  explicit ExecutorLoop(E& executor) : executor_(executor) {}
  void run(const Blocks& blocks, const BlockBody& body) override {
    const Index grain = std::max(Index{1}, blocks.count() / (Index{executor_.workers()} * 8));
    for_parts(executor_, blocks.count(), grain, [&](Index lo, Index hi) {
      for (Index block = lo; block < hi; ++block)
        body(block, block * blocks.size, std::min(blocks.points, (block + 1) * blocks.size));
    });
  }

  [[nodiscard]] int workers() const override { return executor_.workers(); }
  [[nodiscard]] int worker() const override { return executor_.worker(); }
  [[nodiscard]] const ArrayPlacement& placement() const override { return array_placement_of(executor_); }

 private:
  E& executor_;
};

}  // namespace charm::workloads
