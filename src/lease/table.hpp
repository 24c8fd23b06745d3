// The table of leases as bytes in a file: which program holds which cores. The file contains two images of the table,
// written in turns, so that a writer that dies while writing leaves the previous image.
//
// Nothing is trusted when the file is read: sizes, magic number, version, the checksums of the header and of every
// entry, the ranges of all fields, and that no core is held twice are checked. An image with any fault is ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id_sets.hpp"

namespace charm::lease {

inline constexpr int most_cpus = 4096;
inline constexpr std::size_t most_entries = 64;

struct Entry {
  int pid = 0;
  std::uint64_t started = 0;     ///< when the process began: process ids are reused
  std::uint64_t name_space = 0;  ///< in which process id and start time are meant (PID and time namespace)
  std::uint64_t number = 0;      ///< distinguishes the leases of one process
  std::int64_t looked_ms = 0;    ///< the machine's monotonic clock: when the holder read the table last
  int weight = 1;
  int want = 0;
  CoreCpuSet may;    ///< cores that it may use
  CoreCpuSet holds;  ///< a part of `may`
  friend bool operator==(const Entry&, const Entry&) = default;
};

struct Table {
  std::uint64_t sequence = 0;  ///< sequence number of the image that it was read from
  std::vector<Entry> entries;  ///< in the order in which the programs joined
};

/// The offset at which an image with this sequence number is written; and the length of a file of two images.
std::size_t image_offset(std::uint64_t sequence);
std::size_t file_bytes();

/// The bytes of an image. The table must have at most most_entries, and cpus from 0 to most_cpus - 1.
std::string encode(const Table& table);

/// Whether an image, of which these are the first bytes, was written by CHARM. What has no such mark is never
/// overwritten.
bool carries_mark(std::string_view image);

struct Decoded {
  Table table;           ///< the newer good image; empty where there is none
  bool damaged = false;  ///< the file is neither empty nor has a good image
};
Decoded decode(const std::string& file);
/// The same from the two images alone, each empty where there is none.
Decoded decode(std::string_view first, std::string_view second);

/// Length of the header of an image, and of the image by its header; 0 if that is no header. Almost all of a file is
/// room for further entries.
std::size_t header_bytes();
std::size_t image_bytes_of(std::string_view header);

}  // namespace charm::lease
