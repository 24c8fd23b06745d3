// Numbers as people read them: three significant digits and a unit that keeps them between 1 and 1000.
#pragma once

#include <cstdint>
#include <string>

namespace charm::cli {

std::string format_seconds(double seconds);     // "3.83 ms"
std::string format_bytes(std::uint64_t bytes);  // "117 MiB"
std::string format_rate(double rate);           // "995", "0.0913"
std::string format_percent(double fraction);    // "4.2 %", "120 %"

/// Three significant digits, never in exponent form: 0.0913, 9.95, 99.5, 995, 12345.
std::string three_digits(double value);

}  // namespace charm::cli
