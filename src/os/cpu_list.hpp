// Sets of cpus in the kernel's list notation ("0-3,8"), as cpuset files have it and as people read it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace charm::os {

/// Ascending and without repetition; nothing where `text` is no such list. An empty text is the empty set.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

/// What is in both; both ascending.
std::vector<int> in_both(const std::vector<int>& a, const std::vector<int>& b);

/// \param cpus ascending.
std::string format_cpu_list(const std::vector<int>& cpus);

}  // namespace charm::os
