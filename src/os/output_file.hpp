// An output file that is either complete or does not exist: it is checked before long work begins, written beside its
// place and renamed into it.
#pragma once

#include <string>

namespace charm::os {

/// \throws Error (bad_input) that says why a file cannot be written at `path`. Leaves nothing behind, and an existing
/// file as it was.
void check_writable(const std::string& path);

/// Replaces the file at `path` (what a symbolic link there points to) by one that holds `text`.
/// \throws Error (system) with the file as it was before.
void write_whole(const std::string& path, const std::string& text);

}  // namespace charm::os
