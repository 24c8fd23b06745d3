// The name of a function, from its address.
#pragma once

#include <cstdint>
#include <string>

namespace charm::os {

/// "solve(int)" where the dynamic linker knows the function (programs linked with -rdynamic, shared libraries), else
/// "program+0x12ab", which addr2line and gdb understand; "0x12ab" for what is no function.
std::string symbol(std::uint64_t address);

}  // namespace charm::os
