// The executor of one worker: the calling thread. It is what parallel runtimes are measured against, and always there.
#pragma once

#include "workloads/executor/concept.hpp"

namespace charm::workloads {

class SerialExecutor {
 public:
  static constexpr const char* name = "serial";
  explicit SerialExecutor(int /*workers*/ = 1) {}

  [[nodiscard]] int workers() const { return 1; }
  [[nodiscard]] int worker() const { return 0; }
  template <class F>
  void run(F&& f) {
    f();
  }
  template <class F>
  void parallel_for(Index first, Index last, Index /*grain*/, F&& f) {
    if (first < last) f(first, last);
  }
  template <class T, class F, class C>
  T parallel_reduce(Index first, Index last, Index /*grain*/, T identity, F&& f, C&& /*combine*/) {
    return first < last ? f(first, last, identity) : identity;
  }
  template <class F>
  void team(F&& f) {
    f(0, 1);
  }
  void barrier() {}
};

static_assert(Executor<SerialExecutor>);

}  // namespace charm::workloads
