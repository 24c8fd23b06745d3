// A program whose cgroup grants it more cpus than it began with, as the kubelet's static policy does.
#pragma once

#include <memory>

#include "tools/attach/attachment.hpp"
#include "tools/cli/attach/options.hpp"

namespace charm::cli {

/// \param granted the cpus that the program's cgroups grant now. \return null where the user, or a mask that the
/// program came with, says which cpus it may have: then no others are used. It refers to `options` and `prepared`.
std::unique_ptr<attach::Growth> growth_of(const AttachOptions& options, const Prepared& prepared, const CpuSet& granted,
                                          bool attached);

}  // namespace charm::cli
