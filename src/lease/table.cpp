#include "lease/table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

namespace charm::lease {
namespace {

constexpr std::uint64_t magic = 0x314553'4145'4c43ULL;  // "CLEASE1"
constexpr std::uint32_t version = 2;

using Bitmap = std::array<std::uint64_t, most_cpus / 64>;

/// Plain bytes in this machine's order: the file never leaves it.
struct Head {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t entries;
  std::uint64_t sequence;
  std::uint64_t checksum;  // of the fields above and the checksums of all entries
};

struct Body {
  std::uint64_t checksum;  // of all fields that follow
  std::uint64_t started;
  std::uint64_t name_space;
  std::uint64_t number;
  std::int64_t looked_ms;
  std::int32_t pid;
  std::int32_t weight;
  std::int32_t want;
  std::int32_t unused;
  Bitmap may, holds;
};

constexpr std::size_t image_bytes = sizeof(Head) + most_entries * sizeof(Body);

/// FNV-1a, eight bytes at a time. It protects against accidents only: only the user can write the file, and could write
/// a correct checksum, too.
std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t sum = 0xcbf29ce484222325ULL) {
  const auto* at = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i + sizeof sum <= bytes; i += sizeof sum) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + i, sizeof word);
    sum = (sum ^ word) * 0x100000001b3ULL;
    sum ^= sum >> 32U;  // since a product carries nothing to lower bits
  }
  return sum;
}
static_assert((sizeof(Body) - sizeof(Body::checksum)) % sizeof(std::uint64_t) == 0);
static_assert(offsetof(Head, checksum) % sizeof(std::uint64_t) == 0);

std::uint64_t checksum_of(const Body& body) {
  return checksum(reinterpret_cast<const char*>(&body) + sizeof body.checksum, sizeof body - sizeof body.checksum);
}

std::uint64_t checksum_of(const Head& head, const std::vector<Body>& bodies) {
  std::uint64_t sum = checksum(&head, offsetof(Head, checksum));
  for (const Body& body : bodies) sum = checksum(&body.checksum, sizeof body.checksum, sum);
  return sum;
}

Bitmap bits_of(const CoreCpuSet& cores) {
  Bitmap bits{};
  for (const int core : cores) {
    if (core >= most_cpus) break;
    bits[static_cast<std::size_t>(core) / 64] |= 1ULL << (static_cast<unsigned>(core) % 64);
  }
  return bits;
}

CoreCpuSet cores_of(const Bitmap& bits) {
  CoreCpuSet cores;
  for (std::size_t w = 0; w < bits.size(); ++w) {
    for (std::uint64_t word = bits[w]; word != 0; word &= word - 1)
      cores.insert(static_cast<int>(64 * w) + std::countr_zero(word));
  }
  return cores;
}

bool plausible(const Entry& entry) {
  return entry.pid > 0 && entry.weight >= 1 && entry.weight <= 1000 && entry.want >= 0 && entry.want <= most_cpus &&
         !entry.may.empty() && entry.holds.is_subset_of(entry.may);
}

std::optional<Head> read_head(std::string_view bytes) {
  Head head{};
  if (bytes.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.magic != magic || head.version != version || head.entries > most_entries) return std::nullopt;
  return head;
}

std::optional<Table> read_image(std::string_view bytes) {
  const auto known = read_head(bytes);
  if (!known) return std::nullopt;
  const Head& head = *known;
  if (bytes.size() < sizeof head + head.entries * sizeof(Body)) return std::nullopt;
  std::vector<Body> bodies(head.entries);
  if (head.entries > 0) std::memcpy(bodies.data(), bytes.data() + sizeof head, head.entries * sizeof(Body));
  if (head.checksum != checksum_of(head, bodies)) return std::nullopt;
  Table table;
  table.sequence = head.sequence;
  CoreCpuSet held;
  for (const Body& body : bodies) {
    if (body.checksum != checksum_of(body)) return std::nullopt;
    Entry entry{body.pid,    body.started, body.name_space,    body.number,         body.looked_ms,
                body.weight, body.want,    cores_of(body.may), cores_of(body.holds)};
    if (!plausible(entry)) return std::nullopt;
    if (held.intersects(entry.holds)) return std::nullopt;
    held |= entry.holds;
    table.entries.push_back(std::move(entry));
  }
  return table;
}

}  // namespace

std::size_t image_offset(std::uint64_t sequence) { return sequence % 2 == 0 ? 0 : image_bytes; }

std::size_t file_bytes() { return 2 * image_bytes; }

std::string encode(const Table& table) {
  Head head{};
  head.magic = magic;
  head.version = version;
  head.entries = static_cast<std::uint32_t>(std::min(table.entries.size(), most_entries));
  head.sequence = table.sequence;
  std::vector<Body> bodies;
  for (const Entry& entry : table.entries) {
    if (bodies.size() == head.entries) break;
    Body body{};
    body.started = entry.started;
    body.name_space = entry.name_space;
    body.number = entry.number;
    body.looked_ms = entry.looked_ms;
    body.pid = entry.pid;
    body.weight = entry.weight;
    body.want = entry.want;
    body.may = bits_of(entry.may);
    body.holds = bits_of(entry.holds);
    body.checksum = checksum_of(body);
    bodies.push_back(body);
  }
  head.checksum = checksum_of(head, bodies);
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  if (!bodies.empty()) bytes.append(reinterpret_cast<const char*>(bodies.data()), bodies.size() * sizeof(Body));
  return bytes;
}

bool carries_mark(std::string_view image) {
  std::uint64_t mark = 0;
  if (image.size() < sizeof mark) return false;
  std::memcpy(&mark, image.data(), sizeof mark);
  return mark == magic;
}

std::size_t header_bytes() { return sizeof(Head); }

std::size_t image_bytes_of(std::string_view header) {
  const auto head = read_head(header);
  return head ? sizeof(Head) + head->entries * sizeof(Body) : 0;
}

Decoded decode(std::string_view first, std::string_view second) {
  std::array<std::string_view, 2> images{first, second};
  const auto number = [](std::string_view image) {
    const auto head = read_head(image);
    return head ? head->sequence : 0;
  };
  if (number(images[1]) > number(images[0])) std::swap(images[0], images[1]);
  Decoded decoded;
  for (const std::string_view image : images) {
    if (auto table = read_image(image)) {
      decoded = {std::move(*table), false};
      return decoded;
    }
    decoded.damaged = decoded.damaged || std::any_of(image.begin(), image.end(), [](char c) { return c != 0; });
  }
  return decoded;
}

Decoded decode(const std::string& file) {
  const std::string_view whole = file;
  const std::size_t border = std::min(whole.size(), image_bytes);
  return decode(whole.substr(0, border), whole.substr(border));
}

}  // namespace charm::lease
