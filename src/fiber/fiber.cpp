#include "fiber/fiber.hpp"

#include <cstdint>
#include <new>

#include <boost/context/detail/fcontext.hpp>

#include "fiber/sanitizers.hpp"

namespace charm::fiber {
namespace {

namespace context = boost::context::detail;

void trampoline(void* message) noexcept {
  Entry entry = static_cast<Handover*>(message)->to->entry;
  arrive(message);
  entry();
  __builtin_unreachable();
}

/// What call_on_stack hands to the other stack.
struct Call {
  void (*function)(void*) noexcept;
  void* argument;
  const void* outer_bottom;  // of the stack to come back to, for ASan
  std::size_t outer_bytes;
};

CHARM_NO_TSAN void call_trampoline(context::transfer_t transfer) noexcept {
  Call call = *static_cast<Call*>(transfer.data);
#if defined(CHARM_ASAN)
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
  call.function(call.argument);
#if defined(CHARM_ASAN)
  __sanitizer_start_switch_fiber(nullptr, call.outer_bottom, call.outer_bytes);
#endif
  context::jump_fcontext(transfer.fctx, nullptr);
  __builtin_unreachable();
}

}  // namespace

Fiber* create(std::size_t stack_bytes, Entry entry, int node) {
  Stack stack = allocate_stack(stack_bytes, node);
  std::byte* top = stack.base + stack.bytes - sizeof(Fiber);
  top -= reinterpret_cast<std::uintptr_t>(top) % 64;
  auto* fiber = new (top) Fiber;
  fiber->stack = stack;
  fiber->entry = entry;
  fiber->asan_bottom = stack.base;
  fiber->asan_bytes = static_cast<std::size_t>(top - stack.base);
  fiber->context = make_context<trampoline>(top, fiber->asan_bytes);
#if defined(CHARM_TSAN)
  fiber->tsan = __tsan_create_fiber(0);
#endif
  return fiber;
}

void destroy(Fiber* fiber) noexcept {
#if defined(CHARM_TSAN)
  __tsan_destroy_fiber(fiber->tsan);
#endif
  Stack stack = fiber->stack;
  fiber->~Fiber();
  free_stack(stack);
}

void attach_thread([[maybe_unused]] Fiber& native) noexcept {
#if defined(CHARM_TSAN)
  native.tsan = __tsan_get_current_fiber();
#endif
}

CHARM_NO_TSAN void call_on_stack(Fiber& self, const Stack& stack, void (*function)(void*) noexcept,
                                 void* argument) noexcept {
  Call call{function, argument, self.asan_bottom, self.asan_bytes};
  void* start = context::make_fcontext(stack.base + stack.bytes, stack.bytes, call_trampoline);
#if defined(CHARM_ASAN)
  void* fake_stack = nullptr;
  self.asan_bottom = stack.base;  // for the time that `self` runs, and perhaps suspends, on the other stack
  self.asan_bytes = stack.bytes;
  __sanitizer_start_switch_fiber(&fake_stack, stack.base, stack.bytes);
#endif
  context::jump_fcontext(start, &call);
#if defined(CHARM_ASAN)
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
  self.asan_bottom = call.outer_bottom;
  self.asan_bytes = call.outer_bytes;
#endif
}

}  // namespace charm::fiber
