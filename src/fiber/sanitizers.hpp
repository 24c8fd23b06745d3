// The annotations that AddressSanitizer and ThreadSanitizer need around a stack switch; empty in builds without them.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define CHARM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHARM_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define CHARM_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CHARM_TSAN 1
#endif
#endif

#if defined(CHARM_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(CHARM_TSAN)
#include <sanitizer/tsan_interface.h>
#define CHARM_NO_TSAN __attribute__((no_sanitize("thread")))
#else
#define CHARM_NO_TSAN
#endif
