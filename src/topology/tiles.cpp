#include "topology/tiles.hpp"

#include <algorithm>
#include <cctype>

namespace charm::topology {
namespace {

struct Family {
  const char* digits;  // the first of the model's four digits; '?' any
  bool series;         // Platinum, Gold, Max ... stands before the number
  char suffix;         // behind the digits; '?' any
  int fewer_cores;     // dies with no more cores than these are one piece
  int tiles;
};

constexpr Family families[] = {
    {"94??", true, '?', 0, 4},    // Xeon Max, Sapphire Rapids with HBM
    {"?4??", true, '?', 32, 4},   // Sapphire Rapids
    {"?5??", true, '?', 32, 2},   // Emerald Rapids
    {"69??", false, 'P', 64, 3},  // Granite Rapids
    {"67??", false, 'P', 48, 2}, {"65??", false, 'P', 48, 2},
};

bool fits(const Family& family, const std::string& digits) {
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (family.digits[i] != '?' && family.digits[i] != digits[i]) return false;
  }
  return true;
}

}  // namespace

int known_tiles(const std::string& name, int cores) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (upper.find("XEON") == std::string::npos) return 1;
  constexpr std::size_t digits_of_a_model = 4;
  const auto digit = [&](std::size_t i) {
    return i < upper.size() && std::isdigit(static_cast<unsigned char>(upper[i])) != 0;
  };
  std::size_t first = 0;
  while (first < upper.size() && !(digit(first) && digit(first + 1) && digit(first + 2) && digit(first + 3))) ++first;
  if (first >= upper.size() || digit(first + digits_of_a_model)) return 1;
  const std::string digits = upper.substr(first, digits_of_a_model);
  const char suffix = first + digits_of_a_model < upper.size() ? upper[first + digits_of_a_model] : ' ';
  const std::string before = upper.substr(0, first);
  const bool series = before.find("PLATINUM") != std::string::npos || before.find("GOLD") != std::string::npos ||
                      before.find("MAX") != std::string::npos;
  for (const Family& family : families) {
    if (family.series == series && fits(family, digits) && (family.suffix == '?' || family.suffix == suffix))
      return cores > family.fewer_cores ? family.tiles : 1;
  }
  return 1;
}

std::string note_of_tiles(const Machine& machine) {
  if (machine.chiplet_source != ChipletSource::last_level_cache) return "";
  int tiles = 1;
  for (const Chiplet& chiplet : machine.chiplets)
    tiles = std::max(tiles, known_tiles(machine.name, chiplet.total_cores));
  if (tiles == 1) return "";
  return "This processor has " + std::to_string(tiles) +
         " dies behind each L3 cache, which the system does not tell apart: CHARM_DOMAINS=" + std::to_string(tiles) +
         " takes each for a chiplet, by the order of its cores, and 'charm probe' can look for them.";
}

}  // namespace charm::topology
