// A parallel loop for the algorithms of this library, whose bodies take blocks. All of them have one type here, so that
// a program compiles the loop once and not for each algorithm, iterator and comparison.
#pragma once

#include <charm/parallel_for.hpp>

#include <cstdint>

namespace charm::detail {

struct BlockFunction {
  void (*call)(const void* function, std::int64_t low, std::int64_t high);
  const void* function;
  void operator()(std::int64_t low, std::int64_t high) const { call(function, low, high); }
};

/// As parallel_for(low, high, body, options). \param body called as body(low, high).
template <class F>
void for_blocks(std::int64_t low, std::int64_t high, const F& body, LoopOptions options = {}) {
  auto call = [](const void* f, std::int64_t l, std::int64_t h) { (*static_cast<const F*>(f))(l, h); };
  parallel_for(low, high, BlockFunction{call, &body}, options);
}

}  // namespace charm::detail
