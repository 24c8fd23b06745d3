// Cases of remote_ranks in which the last rank is killed, or leaves.
#include <charm/charm.hpp>
#include <charm/global_array.hpp>
#include <charm/remote.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "ranks.hpp"

namespace {

std::string last_rank() { return "rank " + std::to_string(remote::ranks() - 1); }

/// When the others are about to wait for it.
void kill_last_rank() {
  remote::barrier();
  if (remote::rank() != remote::ranks() - 1) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  std::raise(SIGKILL);
}

}  // namespace

/// The others wait for it in every way.
void lost() {
  kill_last_rank();
  const int last = remote::ranks() - 1;
  const auto start = std::chrono::steady_clock::now();
  std::string call = error_of([last] { remote::call(last, [] { charm::sleep_for(std::chrono::seconds(60)); }); });
  EXPECT(has(call, last_rank().c_str()) && has(call, "has ended"));
  EXPECT(has(error_of([last] { remote::call(last, [] {}); }), "has ended"));
  EXPECT(has(error_of([] { remote::barrier(); }), "has ended"));
  EXPECT(has(error_of([] { charm::gmalloc<int>(10); }), "has ended"));
  EXPECT(has(error_of([] { remote::fence(); }), "has ended"));
  EXPECT(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

/// Who has the error ends at once, and the others still learn which rank was the first one.
void lost_first() {
  kill_last_rank();
  const std::string error = error_of([] { remote::barrier(); });
  if (!has(error, (last_rank() + " (process").c_str())) {
    std::fprintf(stderr, "rank %d: not the first one: %s\n", remote::rank(), error.c_str());
    std::_Exit(1);
  }
  std::printf("rank %d of %d passed lost_first over\n", remote::rank(), remote::ranks());
  std::fflush(stdout);
  std::_Exit(0);
}

/// The others have no error before finalize(), which throws it.
void lost_at_end() { kill_last_rank(); }

/// The last rank ends as if all were well, and is an error for all.
void leaves() {
  remote::barrier();
  if (remote::rank() == remote::ranks() - 1) std::exit(0);
  static_cast<void>(error_of([] { remote::barrier(); }));
}
