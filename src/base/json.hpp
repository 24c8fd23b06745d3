// How everything here reads and writes JSON: nlohmann-json, with numbers checked when they are read, and one function
// that writes.
#pragma once

#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace charm::base {

/// Throws nlohmann::json::out_of_range: `number` is no whole number from `least` to `most`.
[[noreturn]] void refuse_number(const std::string& number, const std::string& least, const std::string& most);

/// Converts as nlohmann-json does, except that a number which an integer type cannot hold is refused. nlohmann-json
/// cuts it, and for one as 2e27 that is undefined behaviour.
template <class T, class = void>
struct JsonConversion : nlohmann::adl_serializer<T> {};

template <class T>
struct JsonConversion<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>>
    : nlohmann::adl_serializer<T> {
  template <class Value>
  static void from_json(const Value& value, T& number) {
    if (!holds(value)) refuse_number(value.dump(), std::to_string(limits::min()), std::to_string(limits::max()));
    nlohmann::adl_serializer<T>::from_json(value, number);
  }

 private:
  using limits = std::numeric_limits<T>;

  /// True too for what is no number: nlohmann-json says so.
  template <class Value>
  static bool holds(const Value& value) {
    if (value.is_number_float()) {
      const double number = *value.template get_ptr<const double*>();
      return number == std::trunc(number) && number >= static_cast<double>(limits::min()) &&
             number < std::ldexp(1.0, limits::digits);
    }
    if (value.is_number_unsigned()) return std::in_range<T>(*value.template get_ptr<const std::uint64_t*>());
    if (value.is_number_integer()) return std::in_range<T>(*value.template get_ptr<const std::int64_t*>());
    return true;
  }
};

template <template <class, class, class...> class Members>
using JsonOf = nlohmann::basic_json<Members, std::vector, std::string, bool, std::int64_t, std::uint64_t, double,
                                    std::allocator, JsonConversion>;

/// Members keep the order in which they were added. Whoever builds one includes <nlohmann/json.hpp>.
using Json = JsonOf<nlohmann::ordered_map>;

/// Members are sorted, and found in logarithmic time: for what others wrote.
using SortedJson = JsonOf<std::map>;

/// Control characters are escaped, and bytes that are no UTF-8 (names of threads, paths) become U+FFFD.
/// \param indent blanks for each level; negative: all on one line.
std::string json_text(const Json& value, int indent = -1);

/// What is wrong with a JSON text, for its reader's user: what an exception of the library says, without its numbers
/// for programmers, in one line of printable text.
std::string json_problem(const std::exception& error);

}  // namespace charm::base
