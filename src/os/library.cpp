#include "os/library.hpp"

#include <dlfcn.h>

namespace charm::os {

void keep_loaded(const void* code) noexcept {
  Dl_info info{};
  if (dladdr(code, &info) == 0 || info.dli_fname == nullptr) return;
  // The program itself is not found by this name, and need not be: it cannot be closed. The handle is not given back.
  dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace charm::os
