#include "os/processes/library.hpp"

#include <dlfcn.h>

namespace charm::os {

void keep_loaded(const void* code) noexcept {
  Dl_info info{};
  if (dladdr(code, &info) == 0 || info.dli_fname == nullptr) return;
  // The handle is kept on purpose. The main program is not found by this name, but it cannot be closed anyway.
  dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace charm::os
