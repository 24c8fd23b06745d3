#include "malloc/nodes.hpp"

#include <cstdint>

#include "malloc/text.hpp"
#include "os/memory/bare.hpp"

namespace charm::shim {
namespace {

/// The number at the beginning of a text.
std::size_t number_in(const char* text) noexcept {
  std::size_t number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) number = number * 10 + static_cast<std::size_t>(*text - '0');
  return number;
}

/// Bytes of a node that are free; all where the kernel does not say.
std::size_t free_bytes_of(int node) noexcept {
  Text path;
  path << "/sys/devices/system/node/node" << static_cast<std::uint64_t>(node) << "/meminfo";
  char text[256];
  os::bare::read_start_of(path.words(), text, sizeof text);
  constexpr char key[] = "MemFree:";
  for (const char* at = text; *at != '\0'; ++at) {
    std::size_t same = 0;
    while (key[same] != '\0' && at[same] == key[same]) ++same;
    if (key[same] != '\0') continue;
    at += same;
    while (*at == ' ') ++at;
    return number_in(at) << 10U;
  }
  return SIZE_MAX;
}

}  // namespace

bool several_memories() noexcept {
  char text[128];
  os::bare::read_start_of("/sys/devices/system/node/has_memory", text, sizeof text);
  for (const char* at = text; *at != '\0'; ++at) {
    if (*at == '-' || *at == ',') return true;
  }
  return false;
}

std::size_t most_mappings() noexcept {
  constexpr std::size_t usual = 65530;
  char text[32];
  os::bare::read_start_of("/proc/sys/vm/max_map_count", text, sizeof text);
  const std::size_t most = number_in(text);
  return most > 0 ? most : usual;
}

int full_node(const memory::WeightPage& page, std::size_t bytes, std::size_t root) noexcept {
  std::size_t sum = 0;
  std::size_t most_free = 0;
  std::size_t free[memory::most_memories];
  for (std::size_t m = 0; m < page.memories; ++m) {
    sum += page.weights[root][m];
    free[m] = free_bytes_of(page.os_node[m]);
    if (free[m] > most_free) most_free = free[m];
  }
  for (std::size_t m = 0; m < page.memories && sum > 0; ++m) {
    const std::size_t part = bytes / sum * page.weights[root][m];
    if (free[m] < part && most_free >= part) return page.os_node[m];
  }
  return -1;
}

}  // namespace charm::shim
