// Cpus by number ("0-3,8") or by part of the machine ("node:0", "l3:2-3", "socket:1", "core:0-3"), in the syntax of
// hwloc-bind(1). Pure.
//
//   locations = location { "," location }
//   location  = cpu | cpu "-" cpu | step { "." step }        a later step is within each part of the earlier ones
//   step      = type ":" index | "kind:" kind
//   kind      = "performance" | "middle" | "efficiency" | "low-power"
//   type      = "socket" | "package" | "pack" | "node" | "numa" | "numanode" | "chiplet" | "l3" | "core" | "pu"
//   index     = "3" | "2-3" | "2-" | "2:3" (three from 2 on) | "all" | "odd" | "even"
//
// Indexes are those of `charm topo`, and count what the process may use; hwloc calls them logical. Plain cpus have the
// operating system's numbers. Differences from hwloc: locations are separated by commas; "l3" is a chiplet even if a
// machine's chiplets have another cache or none; an index that runs past the end is an error and does not wrap.
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <vector>

namespace charm::attach {

/// The cpus, in the order in which they are named, as often as they are named.
/// \param option the option's name, for errors. \throws Error (bad_input) that names the part that is wrong, and what
/// there is instead.
std::vector<int> cpus_at(const Machine& machine, const std::string& locations, const std::string& option);

}  // namespace charm::attach
