// An output file that is either complete or does not exist: it is checked before long work begins, written beside its
// place and renamed into it.
#pragma once

#include <string>

namespace charm::os {

/// Checks that a file can be written. \throws Error (bad_input) that says why not. Leaves nothing behind, and an
/// existing file unchanged.
void check_writable(const std::string& path);

/// Replaces the file at `path` (or the one that a symbolic link there points to) by one that contains `text`.
/// \throws Error (system); the file is then unchanged.
void write_whole(const std::string& path, const std::string& text);

/// The same, but a symbolic link is replaced and never followed: for paths at which another user may plant one.
void replace_whole(const std::string& path, const std::string& text);

/// As replace_whole, and only the owner may read the file, also while it is written.
void replace_secret(const std::string& path, const std::string& text);

/// As write_whole; when it returns, the file is on the disk and outlives a crash of the machine.
void write_durably(const std::string& path, const std::string& text);

}  // namespace charm::os
