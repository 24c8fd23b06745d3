// The handler does only what is safe in a signal handler: it writes to descriptor 2, and takes no lock except the
// dynamic linker's, to name the function.
#include "sched/debug/stack_overflow.hpp"

#include <csignal>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

#include <sys/auxv.h>
#include <sys/mman.h>

#include "fiber/sanitizers.hpp"
#include "sched/run/runtime.hpp"

namespace charm::sched {
namespace {

using fiber::Fiber;

constinit thread_local const Fiber* watched_fiber __attribute__((tls_model("initial-exec"))) = nullptr;

// Of the process, as the handler itself is.
struct sigaction previous;
std::atomic<bool> installed{false};

/// A line of text that is built without allocating memory.
class Line {
 public:
  Line& operator<<(const char* text) noexcept {
    while (*text != '\0' && length_ < sizeof text_) text_[length_++] = *text++;
    return *this;
  }
  Line& operator<<(std::uint64_t number) noexcept {
    char digits[24];
    int count = 0;
    do digits[count++] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    while (count > 0 && length_ < sizeof text_) text_[length_++] = digits[--count];
    return *this;
  }
  Line& hex(std::uint64_t number) noexcept {
    *this << "0x";
    bool begun = false;
    for (int shift = 60; shift >= 0; shift -= 4) {
      const char digit[2] = {"0123456789abcdef"[(number >> shift) & 15], '\0'};
      begun = begun || digit[0] != '0' || shift == 0;
      if (begun) *this << digit;
    }
    return *this;
  }
  void print() const noexcept {
    std::size_t done = 0;
    while (done < length_) {
      ssize_t wrote = write(2, text_ + done, length_ - done);
      if (wrote <= 0) return;
      done += static_cast<std::size_t>(wrote);
    }
  }

 private:
  char text_[1024];
  std::size_t length_ = 0;
};

struct Extent {
  const std::byte* base = nullptr;
  const std::byte* top = nullptr;
  const Fiber* fiber = nullptr;
};

/// The stack that the calling thread's task is on. It may be a continued one: limit is a quarter above the base of it.
Extent stack_of_thread() noexcept {
  if (const auto* worker = this_worker()) {
    if (worker->stack_top == nullptr) return {};
    return {worker->stack_limit - (worker->stack_top - worker->stack_limit) / 3, worker->stack_top, worker->current};
  }
  if (const Fiber* fiber = watched_fiber)
    return {fiber->away.stack_limit - (fiber->away.stack_top - fiber->away.stack_limit) / 3, fiber->away.stack_top,
            fiber};
  return {};
}

void report(const Extent& stack, const std::byte* fault) noexcept {
  Line line;
  line << "charm: stack overflow in task";
  if (const Fiber* fiber = stack.fiber) {
    line << " " << fiber->card.id;
    char name[sizeof fiber->card.name + 1] = {};
    for (std::size_t i = 0; i < 4; ++i) {
      std::uint64_t word = fiber->card.name[i].load(std::memory_order_relaxed);
      std::memcpy(name + 8 * i, &word, 8);
    }
    if (name[0] != '\0') line << " '" << name << "'";
    auto* function = reinterpret_cast<void*>(fiber->card.function.load(std::memory_order_relaxed));
    Dl_info info{};
    if (function != nullptr && dladdr(function, &info) != 0) {
      line << " (";
      if (info.dli_sname != nullptr) {
        line << info.dli_sname;
      } else {
        const char* slash = std::strrchr(info.dli_fname, '/');
        line << (slash != nullptr ? slash + 1 : info.dli_fname) << "+";
        line.hex(reinterpret_cast<std::uintptr_t>(function) - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
      }
      line << ")";
    }
  }
  const auto bytes = static_cast<std::uint64_t>(stack.top - stack.base);
  if (const auto* worker = this_worker())
    line << " on worker " << static_cast<std::uint64_t>(worker->id);
  else
    line << " on a thread of the blocking pool";
  line << ": " << static_cast<std::uint64_t>(stack.top - fault) << " bytes deep, the stack has " << bytes
       << "; raise the setting stack_bytes (CHARM_STACK_BYTES=" << 2 * bytes / 1024
       << "K) or keep large variables off the stack\n";
  line.print();
}

void hand_on(int signal, siginfo_t* info, void* context) noexcept {
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr)
    return previous.sa_sigaction(signal, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(signal);
  if (previous.sa_handler == SIG_IGN && info->si_code <= 0) return;  // another process sent it, and it is ignored
  std::signal(signal, SIG_DFL);
  if (info->si_code <= 0) raise(signal);  // it takes effect when the handler returns; a fault happens again by itself
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const Extent stack = stack_of_thread();
  const auto* fault = static_cast<const std::byte*>(info->si_addr);
  if (info->si_code > 0 && stack.base != nullptr && fault < stack.base && fault >= stack.base - fiber::guard_bytes()) {
    report(stack, fault);
    std::signal(signal, SIG_DFL);
  } else {
    hand_on(signal, info, context);
  }
  errno = error;
}

}  // namespace

#if defined(CHARM_ASAN) || defined(CHARM_TSAN)

SignalStack::SignalStack() noexcept = default;
SignalStack::~SignalStack() { static_cast<void>(memory_), static_cast<void>(bytes_); }
void install_overflow_report() noexcept { static_cast<void>(on_fault), static_cast<void>(installed); }
void remove_overflow_report() noexcept {}

#else

SignalStack::SignalStack() noexcept {
  stack_t now{};
  if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
  bytes_ = (std::size_t{32} << 10) + getauxval(AT_MINSIGSTKSZ);  // the size of the saved registers depends on the cpu
  memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory_ == MAP_FAILED) {
    memory_ = nullptr;
    return;
  }
  stack_t ours{};
  ours.ss_sp = memory_;
  ours.ss_size = bytes_;
  sigaltstack(&ours, nullptr);
}

SignalStack::~SignalStack() {
  if (memory_ == nullptr) return;
  stack_t now{};
  if (sigaltstack(nullptr, &now) == 0 && now.ss_sp == memory_) {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(memory_, bytes_);
  }  // else the program has installed another one and may restore this one, so it stays
}

void install_overflow_report() noexcept {
  struct sigaction ours{};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  struct sigaction before{};
  if (sigaction(SIGSEGV, nullptr, &before) != 0) return;
  // Another handler may forward to this one, which must not forward to itself.
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction == on_fault) return;
  if (!installed.exchange(true)) previous = before;
  sigaction(SIGSEGV, &ours, nullptr);
}

void remove_overflow_report() noexcept {
  struct sigaction now{};
  if (sigaction(SIGSEGV, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) == 0 || now.sa_sigaction != on_fault)
    return;  // another handler may forward to this one, so it stays
  sigaction(SIGSEGV, &previous, nullptr);
  installed.store(false);
}

#endif

void watch_stack(const Fiber* fiber) noexcept { watched_fiber = fiber; }

}  // namespace charm::sched
