// The time that a program prints itself, which counts in place of the one around it: without its start, its input or
// its checks.
#pragma once

#include <regex>
#include <string>

namespace charm::compare {

class PrintedTime {
 public:
  /// \param pattern ECMAScript; its first group is the number. \param rate the number is a rate, whose inverse counts.
  /// \throws Error (bad_config) if it is no pattern, or has no group.
  PrintedTime(const std::string& pattern, bool rate);

  /// Seconds, by the last match in what the program wrote. \param name of the program, for errors.
  /// \throws Error (bad_input) if nothing matches, or what matches is no number above 0.
  [[nodiscard]] double seconds_in(const std::string& written, const std::string& name) const;

 private:
  std::string pattern_;
  std::regex regex_;
  bool rate_;
};

}  // namespace charm::compare
