// The table of shares as bytes in a file: who holds which cores. Two images of it lie one behind the other and are
// written in turns, so that a writer who dies in the middle of it leaves the image before.
//
// Nothing that is read is believed: sizes, magic, version, the checksum of the image's head and that of every entry,
// the ranges of all fields, and that no core is held twice. An image in which anything is wrong counts as none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace charm::lease {

inline constexpr int most_cpus = 4096;
inline constexpr std::size_t most_entries = 64;

struct Entry {
  int pid = 0;
  std::uint64_t started = 0;     ///< when the process began: numbers of processes are used again
  std::uint64_t name_space = 0;  ///< that the process's number belongs to
  std::uint64_t number = 0;      ///< among the shares of one process
  std::int64_t looked_ms = 0;    ///< monotonic clock: when the holder was there last
  int weight = 1;
  int want = 0;
  std::vector<int> may;    ///< cores (by a cpu of each), ascending
  std::vector<int> holds;  ///< ascending; a part of `may`
  friend bool operator==(const Entry&, const Entry&) = default;
};

struct Table {
  std::uint64_t sequence = 0;  ///< of the image that it was read from
  std::vector<Entry> entries;  ///< in the order in which they came
};

/// Where an image with this sequence number is to be written, and how long a file of two images is.
std::size_t image_offset(std::uint64_t sequence);
std::size_t file_bytes();

/// At most most_entries; cpus from 0 to most_cpus - 1.
std::string encode(const Table& table);

struct Decoded {
  Table table;           ///< the newer good image; empty where there is none
  bool damaged = false;  ///< the file is neither empty nor has a good image
};
Decoded decode(const std::string& file);

}  // namespace charm::lease
