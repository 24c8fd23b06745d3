#include "os/processes/symbol.hpp"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>

namespace charm::os {

std::string symbol(std::uint64_t address) {
  Dl_info info{};
  if (dladdr(std::bit_cast<void*>(static_cast<std::uintptr_t>(address)), &info) == 0) info = {};
  if (info.dli_sname != nullptr) {
    int status = 0;
    char* plain = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
    std::string name = status == 0 ? plain : info.dli_sname;
    std::free(plain);
    return name;
  }
  std::string file = info.dli_fname != nullptr ? info.dli_fname : "";
  if (!file.empty()) file = file.substr(file.find_last_of('/') + 1) + "+";
  char offset[32];
  std::snprintf(offset, sizeof offset, "0x%llx",
                static_cast<unsigned long long>(address - std::bit_cast<std::uintptr_t>(info.dli_fbase)));
  return file + offset;
}

}  // namespace charm::os
