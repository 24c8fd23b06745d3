// Reads files that a user names within given bounds, because they may be anything: a device that never ends, a pipe
// that nobody writes to, a file larger than memory. Errors say what is not a file.
#pragma once

#include <cstddef>
#include <string>

namespace charm::os {

struct ReadBounds {
  std::size_t bytes = std::size_t{256} << 20U;
  double patience_s = 10;  ///< how long a pipe may deliver nothing
};

struct BoundedText {
  std::string text;
  std::string problem;  ///< why there is no text: "does not exist", "is a device"; empty where it was read
};

/// A plain file or a pipe ("/dev/stdin", a shell's <(...)), to its end.
BoundedText read_bounded(const std::string& path, const ReadBounds& bounds = {});

/// Why the path is neither a plain file nor a pipe ("is a directory"); empty where it is one of them, or may not be
/// looked at.
std::string what_is_no_file(const std::string& path);

}  // namespace charm::os
