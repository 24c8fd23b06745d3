#include "ranks/early_exit.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace charm::remote {
namespace {

std::atomic<int> rank_before_finalize{-1};

void at_exit(int status, void* /*unused*/) {
  const int rank = rank_before_finalize.load();
  if (rank < 0) return;
  // Not a notice: their memory may have gone already.
  std::fprintf(stderr,
               "charm: rank %d ends without charm::remote::finalize(); call it on all ranks before main() returns\n",
               rank);
  if (status != 0) return;
  std::fflush(nullptr);
  std::_Exit(1);
}

}  // namespace

void expect_finalize(int rank) {
  static const int registered = ::on_exit(&at_exit, nullptr);
  static_cast<void>(registered);
  rank_before_finalize.store(rank);
}

void finalize_has_come() noexcept { rank_before_finalize.store(-1); }

}  // namespace charm::remote
