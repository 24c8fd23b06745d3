#include "malloc/sandbox.hpp"

#include <cerrno>
#include <cstdint>

#include "malloc/placement.hpp"
#include "os/memory/bare.hpp"
#include "os/memory/raw_call.hpp"

namespace charm::shim {
namespace {

constinit std::atomic<bool> sandboxed{false};
constinit std::atomic<int> calls_under_way{0};

/// Calls of other threads have an end; one that a signal handler with this sandbox has interrupted has none.
void wait_for_calls() noexcept {
  for (int i = 0; i < 10'000 && calls_under_way.load() > 0; ++i) os::bare::give_way();
}

}  // namespace

// Sequentially consistent: either this thread sees the sandbox, or the thread that begins it sees this call.
KernelCall::KernelCall() noexcept {
  calls_under_way.fetch_add(1);
  allowed_ = !sandboxed.load();
}
KernelCall::~KernelCall() { calls_under_way.fetch_sub(1); }

bool is_sandboxed() noexcept { return sandboxed.load(std::memory_order_relaxed); }

void forget_kernel_calls() noexcept { calls_under_way.store(0); }

namespace {

constexpr long set_seccomp = 22;  // prctl's PR_SET_SECCOMP

/// Whether the call begins a sandbox. \param first of its arguments.
bool begins_sandbox(long number, long first) noexcept {
  if (number == SYS_prctl) return first == set_seccomp;
  return number == SYS_seccomp && (first == 0 || first == 1);  // strict mode, a filter
}

bool enter() noexcept {
  if (is_sandboxed()) return false;
  print_statistics_before_sandbox();
  sandboxed.store(true);
  wait_for_calls();
  return true;
}

long answer_of(bool entered, long answer) noexcept {
  if (answer == -1 && entered) sandboxed.store(false);  // the kernel has refused it
  return answer;
}

}  // namespace

}  // namespace charm::shim

#define CHARM_EXPORT extern "C" [[gnu::visibility("default")]]

extern "C" {
/// syscall() of the libraries behind this one.
[[gnu::visibility("hidden"), gnu::used]] void* charm_next_syscall = nullptr;

[[gnu::visibility("hidden"), gnu::used]] void charm_find_next_syscall() {
  charm_next_syscall = charm::os::bare::next_function("syscall");
}

/// The calls that may begin a sandbox.
[[gnu::visibility("hidden"), gnu::used]] long charm_sandbox_syscall(long number, long a, long b, long c, long d,
                                                                    long e) {
  using namespace charm::shim;
  const bool entered = begins_sandbox(number, a) && enter();
  if (charm_next_syscall == nullptr) charm_find_next_syscall();
  auto* next = reinterpret_cast<long (*)(long, ...)>(charm_next_syscall);
  return answer_of(entered, next(number, a, b, c, d, e));
}
}

CHARM_EXPORT int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
  using namespace charm::shim;
  const bool entered = begins_sandbox(SYS_prctl, option) && enter();
  // Not the one behind: programs call prctl() from the children of vfork(), where a first look-up is not safe.
  const long answer = charm::os::bare::raw_call(SYS_prctl, option, static_cast<long>(a), static_cast<long>(b),
                                                static_cast<long>(c), static_cast<long>(d));
  if (!charm::os::bare::failed(answer)) return static_cast<int>(answer);
  charm::os::bare::set_error(static_cast<int>(-answer));
  return static_cast<int>(answer_of(entered, -1));
}

// syscall() itself leaves the stack as it is, because with it a program can make a process that shares it (vfork): what
// does not begin a sandbox goes to the next syscall() by a jump.
#if defined(__x86_64__)
static_assert(SYS_seccomp == 317 && SYS_prctl == 157);
__asm__(R"(
        .pushsection .text
        .globl  syscall
        .type   syscall, @function
syscall:
        .cfi_startproc
        endbr64
        cmpq    $317, %rdi
        je      charm_sandbox_syscall
        cmpq    $157, %rdi
        je      charm_sandbox_syscall
0:      movq    charm_next_syscall(%rip), %rax
        testq   %rax, %rax
        je      1f
        jmpq    *%rax
1:      pushq   %rdi
        pushq   %rsi
        pushq   %rdx
        pushq   %rcx
        pushq   %r8
        pushq   %r9
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 56
        call    charm_find_next_syscall
        addq    $8, %rsp
        popq    %r9
        popq    %r8
        popq    %rcx
        popq    %rdx
        popq    %rsi
        popq    %rdi
        .cfi_adjust_cfa_offset -56
        jmp     0b
        .cfi_endproc
        .size   syscall, . - syscall
        .popsection
)");
#elif defined(__aarch64__)
static_assert(SYS_seccomp == 277 && SYS_prctl == 167);
__asm__(R"(
        .pushsection .text
        .globl  syscall
        .type   syscall, %function
syscall:
        .cfi_startproc
        hint    #34
        cmp     x0, #277
        b.eq    charm_sandbox_syscall
        cmp     x0, #167
        b.eq    charm_sandbox_syscall
0:      adrp    x16, charm_next_syscall
        ldr     x16, [x16, #:lo12:charm_next_syscall]
        cbz     x16, 1f
        br      x16
1:      stp     x29, x30, [sp, #-80]!
        .cfi_adjust_cfa_offset 80
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        stp     x0, x1, [sp, #16]
        stp     x2, x3, [sp, #32]
        stp     x4, x5, [sp, #48]
        stp     x6, x7, [sp, #64]
        bl      charm_find_next_syscall
        ldp     x0, x1, [sp, #16]
        ldp     x2, x3, [sp, #32]
        ldp     x4, x5, [sp, #48]
        ldp     x6, x7, [sp, #64]
        ldp     x29, x30, [sp], #80
        .cfi_adjust_cfa_offset -80
        .cfi_restore x29
        .cfi_restore x30
        b       0b
        .cfi_endproc
        .size   syscall, . - syscall
        .popsection
)");
#endif

namespace {
/// Before the program runs, so that no look-up happens in a signal handler.
[[gnu::constructor(101)]] void find_next() { charm_find_next_syscall(); }
}  // namespace
