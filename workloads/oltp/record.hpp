// A record of YCSB as bytes: its number, its version, a checksum over everything, and ten fields.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "workloads/graph/random.hpp"

namespace charm::workloads::oltp {

/// The number as bytes in whose order the numbers are.
inline void put_number(char* at, std::uint64_t number) {
  for (int byte = 7; byte >= 0; --byte) *at++ = static_cast<char>(number >> (8U * static_cast<unsigned>(byte)));
}

inline std::uint64_t number_at(const char* at) {
  std::uint64_t number = 0;
  std::memcpy(&number, at, sizeof number);
  return number;
}

class Record {
 public:
  static constexpr std::size_t head = 24;
  static constexpr std::size_t fields = 10;

  static std::uint64_t number(std::string_view bytes) { return number_at(bytes.data()); }
  static std::uint64_t version(std::string_view bytes) { return number_at(bytes.data() + 8); }

  /// Whether the bytes are those of record `number`, whole and unchanged.
  static bool whole(std::string_view bytes, std::uint64_t wanted, std::size_t size) {
    return bytes.size() == size && size >= head && number(bytes) == wanted &&
           number_at(bytes.data() + 16) == sum(bytes);
  }

  /// Counts the version up and fills a field with what `random` gives.
  static void change(std::string& bytes, std::uint64_t random) {
    const std::uint64_t version = Record::version(bytes) + 1;
    std::memcpy(bytes.data() + 8, &version, sizeof version);
    const std::size_t width = (bytes.size() - head) / fields;
    char* field = bytes.data() + head + random % fields * width;
    for (std::size_t i = 0; i < width; ++i) {
      if (i % 8 == 0) random = mix(random + i + 1);
      field[i] = static_cast<char>(random >> (8U * (i % 8)));
    }
    seal(bytes);
  }

  static void seal(std::string& bytes) {
    const std::uint64_t checksum = sum(bytes);
    std::memcpy(bytes.data() + 16, &checksum, sizeof checksum);
  }

 private:
  static std::uint64_t sum(std::string_view bytes) {
    std::uint64_t all = mix(number(bytes)) + version(bytes) + bytes.size();
    std::size_t at = head;
    for (; at + 8 <= bytes.size(); at += 8)
      all = (all ^ number_at(bytes.data() + at)) * 0x9e3779b97f4a7c15U + (all >> 29U);
    for (; at < bytes.size(); ++at) all = (all ^ static_cast<unsigned char>(bytes[at])) * 0x9e3779b97f4a7c15U;
    return mix(all);
  }
};

}  // namespace charm::workloads::oltp
