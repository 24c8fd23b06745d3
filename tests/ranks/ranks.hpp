// What the cases of remote_ranks share (ranks.cpp).
#pragma once

#include <charm/error.hpp>
#include <charm/remote.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace remote = charm::remote;

inline void expect(bool fine, const char* what, int line) {
  if (fine) return;
  std::fprintf(stderr, "rank %d, line %d: not so: %s\n", remote::rank(), line, what);
  std::_Exit(1);
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

inline std::atomic<std::uint64_t> counter{0};
inline std::atomic<std::uint64_t> total{0};

inline int twice(int n) { return 2 * n; }

template <class F>
std::string error_of(F&& function) {
  try {
    function();
  } catch (const charm::Error& error) {
    return error.what();
  }
  return "none";
}

inline bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// In ranks_lost.cpp.
void lost();
void lost_first();
void lost_at_end();
void leaves();
// In ranks_loops.cpp.
void places();
void loops();
void tasks_of_all();
void lost_with_tasks();
