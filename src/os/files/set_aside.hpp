// Open files of the library's own, kept out of the program's way.
//
// Counters need a file for each worker, or for each event of a worker where the events' pages cannot be mapped, and the
// usual soft limit is 1,024. (The hard limit is mostly far higher.) So the soft limit is raised by the number of files
// that the library opens, and these files get numbers from the program's own limit on. The program keeps all numbers
// below its limit, which matters for select(2): it writes out of bounds from 1,024 on.
#pragma once

#include <cerrno>
#include <cstddef>

namespace charm::os {

/// Gives an open file a number that the program would never get, and closes the old one; the file is closed on exec.
/// Does nothing as long as a quarter of the program's numbers is enough for these files, or if the hard limit leaves no
/// room. Any thread may call it.
/// \return the file's number from now on.
int set_aside(int descriptor) noexcept;

/// Makes room for more files when the program has used up its numbers; false if the hard limit leaves none.
bool make_room_for_files() noexcept;

/// Opens a file by `open`, which returns its number, or -1 and errno, and sets it aside; makes room where there is
/// none.
/// \return the file's number, or the negative errno.
template <class Open>
int open_aside(Open&& open) noexcept {
  for (;;) {
    const int file = open();
    if (file >= 0) return set_aside(file);
    if (errno != EMFILE || !make_room_for_files()) return -errno;
  }
}

/// Files that may be open at most: the hard limit, or the soft one where that cannot be told.
std::size_t reachable_file_limit() noexcept;

/// In a child, before exec: the soft limit that the program had. Async-signal-safe.
void restore_file_limit() noexcept;

}  // namespace charm::os
