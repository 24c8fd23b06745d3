// What the files of single operations (bars_*.cpp) share. A value is the least of several batches (wake-ups: the
// median), so that it says what the operation costs and not what else the machine did.
#pragma once

#include "cases.hpp"

namespace charm::bench {

inline constexpr int batches = 200;

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// A case whose `body(runtime, workers)` returns the value.
template <class R, class F>
void add_bar(Cases& cases, const char* program, const char* unit, F body, int least_workers = 1) {
  cases.push_back({program, R::name, unit,
                   [body](int workers) {
                     Sample sample;
                     apart([&] {
                       R runtime(workers);
                       reset_peak_rss();
                       sample.value = body(runtime, workers);
                       sample.peak_rss_bytes = peak_rss_bytes();
                     });
                     return sample;
                   },
                   least_workers});
}

}  // namespace charm::bench
