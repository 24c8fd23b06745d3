// Constants of linux/mempolicy.h, which not every distribution installs by default.
#pragma once

namespace charm::os {

inline constexpr int mpol_default = 0;
inline constexpr int mpol_preferred = 1;
inline constexpr int mpol_bind = 2;
inline constexpr int mpol_interleave = 3;
inline constexpr unsigned long mpol_f_node = 1;  // get_mempolicy: the node of an address,
inline constexpr unsigned long mpol_f_addr = 2;  // and not the thread's policy

}  // namespace charm::os
