#include "sched/run/same_build.hpp"

#include <charm/error.hpp>

#include <string>

#include "fiber/sanitizers.hpp"

// Each is in the runtime of its sanitizer, which a program has if it was built with the sanitizer; else it is null.
extern "C" {
[[gnu::weak]] void __asan_init();
[[gnu::weak]] void __tsan_init();
[[gnu::weak]] void __msan_init();
}

namespace charm::sched {
namespace {

#if defined(CHARM_ASAN)
constexpr bool for_asan = true;
#else
constexpr bool for_asan = false;
#endif
#if defined(CHARM_TSAN)
constexpr bool for_tsan = true;
#else
constexpr bool for_tsan = false;
#endif

[[noreturn]] void refuse(const std::string& sanitizer, const std::string& remedy) {
  throw Error(Errc::bad_config, "the program runs under " + sanitizer + ", and the CHARM library was built without it",
              remedy);
}

}  // namespace

void require_same_build() {
  const std::string how = ", which docs/debugging.md says how to build";
  if (!for_asan && __asan_init != nullptr) refuse("AddressSanitizer", "link charm::charm_asan" + how);
  if (!for_tsan && __tsan_init != nullptr) refuse("ThreadSanitizer", "link charm::charm_tsan" + how);
  if (__msan_init != nullptr) refuse("MemorySanitizer", "use AddressSanitizer, or valgrind");
}

}  // namespace charm::sched
