// Sandboxes that a program begins by itself (seccomp): a filter of system calls that knows those of other allocators,
// and kills the program at mbind or at the opening of a file.
//
// The shim sees a program begin one, because the functions for it, prctl() and syscall(), come here first. From then on
// it asks nothing of the kernel but what any malloc does (mmap, munmap, madvise, futex): blocks lie where they are
// touched first, weights stay as they are, and nothing is said or written. What was placed is printed right before, if
// that was asked for.
//
// A filter that was there when the program started (a container's, a service's) is not known either, so the first call
// that places memory is made by a child process (os::bare::try_in_child).
#pragma once

#include <atomic>

namespace charm::shim {

/// Around everything that the shim asks of the kernel beyond what any malloc does.
class KernelCall {
 public:
  KernelCall() noexcept;
  ~KernelCall();
  KernelCall(const KernelCall&) = delete;
  KernelCall& operator=(const KernelCall&) = delete;

  [[nodiscard]] bool allowed() const noexcept { return allowed_; }

 private:
  bool allowed_;
};

/// Whether the program has begun a sandbox.
bool is_sandboxed() noexcept;

/// In the child of a fork(): calls of the parent's other threads do not go on here.
void forget_kernel_calls() noexcept;

}  // namespace charm::shim
