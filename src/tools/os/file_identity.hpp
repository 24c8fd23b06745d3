// Which file a path names, by the kernel's numbers: the same however it is named.
#pragma once

#include <cstdint>
#include <string>

namespace charm::os {

struct FileIdentity {
  std::uint64_t device = 0, number = 0;
  std::uint64_t bytes = 0;
  std::string problem = {};  ///< why it is no plain file with content that may be read: "is empty"; empty: it is
};
FileIdentity file_identity(const std::string& path);

}  // namespace charm::os
