// The bare switch between two stacks. On x86-64 it is inlined where it is used: no call and no return are between two
// tasks, so the processor's return predictions stay right, and the compiler saves only the registers that are in use
// there. Elsewhere it is Boost.Context's jump.
//
// A context is the stack pointer of a suspended stack. The data there has the layout of Boost.Context's x86-64 frame
// (floating-point control words at 0, rbp at 0x30, the address to continue at in 0x38; r12 to rbx in between are not
// used), so that a debugger can walk it. On Intel's processors the control words are compared and loaded only where
// they differ, which is rare: loading them costs as much as the rest of the switch. On AMD's, reading what stmxcsr has
// just stored costs more than loading the word (Zen 4, 2.6 GHz: 8.0 ns a switch with the comparison, 6.1 without, 2.3
// if no control word were kept; Boost.Context 7.0).
//
// The frame is written below the stack pointer before the switch, within the 128 bytes that signal handlers leave
// alone. The caller must not be a leaf function that keeps data below its stack pointer (the red zone): it calls
// something else, or is built with -mno-red-zone.
#pragma once

#include <cstddef>
#include <cstdint>

#include <boost/context/detail/fcontext.hpp>

namespace charm::fiber {

/// The first function of a fiber; `message` is that of the switch. It must not return.
using Start = void (*)(void* message) noexcept;

#if defined(__x86_64__) && !defined(__ILP32__)

/// Whether the control word of the vector unit is loaded at each switch.
[[gnu::visibility("hidden")]] inline const bool loads_without_comparing = __builtin_cpu_is("amd") != 0;

/// Saves this stack's context in `*from` and continues `to`. \return the message of the switch that came back.
[[gnu::always_inline]] inline void* swap_context(void** from, void* to, void* message) noexcept {
  register void** save asm("rdi") = from;
  register void* target asm("rsi") = to;
  register void* data asm("rdx") = message;
  asm volatile(
      "leaq 2f(%%rip), %%rax\n\t"
      "stmxcsr -0x40(%%rsp)\n\t"
      "fnstcw -0x3c(%%rsp)\n\t"
      "movq %%rbp, -0x10(%%rsp)\n\t"
      "movq %%rax, -0x8(%%rsp)\n\t"
      "leaq -0x40(%%rsp), %%rax\n\t"
      "movq %%rax, (%%rdi)\n\t"
      "cmpb $0, %[loads_first]\n\t"
      "jne 3f\n\t"
      "movl -0x40(%%rsp), %%eax\n\t"
      "cmpl (%%rsi), %%eax\n\t"
      "je 4f\n"
      "3:\tldmxcsr (%%rsi)\n"
      "4:\tmovzwl -0x3c(%%rsp), %%eax\n\t"
      "cmpw 4(%%rsi), %%ax\n\t"
      "jne 5f\n"
      "1:\tmovq 0x30(%%rsi), %%rbp\n\t"
      "leaq 0x40(%%rsi), %%rsp\n\t"
      "jmpq *0x38(%%rsi)\n"
      "5:\tfldcw 4(%%rsi)\n\t"
      "jmp 1b\n"
      "2:\n"
#if defined(__CET__)
      "\tendbr64\n"
#endif
      : "+r"(save), "+r"(target), "+r"(data)
      : [loads_first] "m"(loads_without_comparing)
      : "rax", "rbx", "rcx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc", "xmm0", "xmm1",
        "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
        "xmm15"
#if defined(__AVX512F__)
        ,
        "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",
        "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#endif
  );
  return data;
}

/// Where a new stack begins: the message is in rdx, the function on top of the stack.
[[gnu::naked]] inline void begin_context() {
  asm volatile(
#if defined(__CET__)
      "endbr64\n\t"
#endif
      "movq %rdx, %rdi\n\t"
      "popq %rax\n\t"
      "xorl %ebp, %ebp\n\t"
      "callq *%rax\n\t"
      "ud2");
}

/// A context that starts `function` on the stack below `top`.
template <Start function>
void* make_context(void* top, std::size_t /*bytes*/) noexcept {
  auto address = reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15};
  auto* words = reinterpret_cast<std::uintptr_t*>(address) - 3;
  words[0] = reinterpret_cast<std::uintptr_t>(function);  // popped: then the call finds the stack aligned
  words[1] = 0;
  words -= 8;
  for (int i = 0; i < 7; ++i) words[i] = 0;
  words[7] = reinterpret_cast<std::uintptr_t>(&begin_context);
  asm("stmxcsr (%0)\n\tfnstcw 4(%0)" : : "r"(words) : "memory");
  return words;
}

#else

struct Message {
  void** from;
  void* message;
};

inline void* accept(boost::context::detail::transfer_t came) noexcept {
  auto* in = static_cast<Message*>(came.data);
  *in->from = came.fctx;
  return in->message;
}

[[gnu::always_inline]] inline void* swap_context(void** from, void* to, void* message) noexcept {
  Message out{from, message};
  return accept(boost::context::detail::jump_fcontext(to, &out));
}

template <Start function>
void* make_context(void* top, std::size_t bytes) noexcept {
  return boost::context::detail::make_fcontext(top, bytes,
                                               [](boost::context::detail::transfer_t came) { function(accept(came)); });
}

#endif

}  // namespace charm::fiber
