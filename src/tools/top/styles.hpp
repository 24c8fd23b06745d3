// Styles, and numbers as words, that the parts of the screen share.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace charm::top {

// Parameters of the terminal's SGR sequences.
inline constexpr const char* bold = "1";
inline constexpr const char* dim = "2";
inline constexpr const char* heading = "7";  // reversed: seen without colours as well

template <class... Args>
std::string format(const char* pattern, Args... args) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), pattern, args...);
  return text.data();
}

inline const char* busy_style(double share) { return share >= 0.9 ? "31" : share >= 0.5 ? "33" : "32"; }

inline std::string percent(double share) { return format("%.0f %%", 100 * share); }

inline std::string chiplet_name(int chiplet) { return chiplet < 0 ? "-" : std::to_string(chiplet); }

/// "1.2M", "340": a number in four characters.
std::string short_number(double value);

}  // namespace charm::top
