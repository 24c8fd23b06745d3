// The name of a function, from its address.
#pragma once

#include <cstdint>
#include <string>

namespace charm::trace {

/// "solve(int)" where the dynamic linker knows the function (programs linked with -rdynamic, shared libraries), else
/// "program+0x12ab", which addr2line and gdb understand.
std::string symbol(std::uint64_t address);

}  // namespace charm::trace
