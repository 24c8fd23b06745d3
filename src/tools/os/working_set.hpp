// How much memory a process touches in an interval: the kernel's referenced bits are cleared, and a page whose bit is
// set later was touched in between (proc(5), clear_refs and smaps_rollup). The granularity is a page, so data that is
// touched sparsely counts for more than its cache lines. The root of the file system is an argument, so that tests can
// use a tree of their own.
#pragma once

#include <cstdint>
#include <string>

namespace charm::os {

/// Clears the referenced bits of the process. \throws Error (bad_input: there is no such process; system: it is
/// another user's, or the kernel keeps no such bits).
void forget_touched_memory(int pid, const std::string& root = "/");

/// Bytes of the pages that the process has touched since. \throws Error as above.
std::uint64_t touched_memory(int pid, const std::string& root = "/");

}  // namespace charm::os
