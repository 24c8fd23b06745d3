#include "tools/cli/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace charm::cli {
namespace {

// What help prints as the option's type is also where completion reads the words from: one truth.
constexpr std::string_view file_type = "FILE";
constexpr std::string_view process_type = "PID";

std::string join(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string unknown(const std::string& word, const std::vector<std::string>& words) {
  return "'" + word + "' is not one of " + join(words, ", ");
}

}  // namespace

CLI::Option* one_of(CLI::Option* option, const std::vector<std::string>& words) {
  return option->type_name("{" + join(words, ",") + "}")->check([words](const std::string& text) {
    return contains(words, text) ? std::string() : unknown(text, words);
  });
}

CLI::Option* some_of(CLI::Option* option, const std::vector<std::string>& words) {
  return option->type_name("{" + join(words, ",") + "},...")->check([words](const std::string& text) {
    std::vector<std::string> seen;
    for (const auto& word : split_list(text)) {
      if (!contains(words, word)) return unknown(word, words);
      if (contains(seen, word)) return "'" + word + "' is named twice";
      seen.push_back(word);
    }
    return std::string();
  });
}

CLI::Option* number_within(CLI::Option* option, double low, double high) {
  return option->check([low, high](const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= low && value <= high) return std::string();
    std::ostringstream range;
    range << "'" << text << "' is not a number from " << low << " to " << high;
    return range.str();
  });
}

CLI::Option* mebibytes_within(CLI::Option* option, double low, double high) {
  return number_within(option, low, high)->transform([](std::string text) {
    constexpr std::array<std::pair<char, double>, 4> units{{{'K', 0x1p-10}, {'M', 1}, {'G', 0x1p10}, {'T', 0x1p20}}};
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [unit, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || unit == end) return text;
    const std::string_view rest(unit + 1, end);
    if (!rest.empty() && rest != "B" && rest != "iB") return text;
    for (const auto& [letter, mebibytes] : units) {
      if (*unit == letter) return fmt::format("{}", value * mebibytes);
    }
    return text;
  });
}

CLI::Option* whole_number(CLI::Option* option, long long low, long long high) {
  return option->type_name("N")->check([low, high](const std::string& text) {
    long long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= low && value <= high) return std::string();
    return "'" + text + "' is not a whole number from " + std::to_string(low) + " to " + std::to_string(high);
  });
}

CLI::Option* process_id(CLI::Option* option) {
  return whole_number(option, 1, 1 << 30)->type_name(std::string(process_type));
}

CLI::Option* not_empty(CLI::Option* option) {
  return option->check([](const std::string& text) {
    return text.find_first_not_of(" \t\n") == std::string::npos ? "a name is missing: '' names nothing" : std::string();
  });
}

CLI::Option* file_path(CLI::Option* option) { return not_empty(option)->type_name(std::string(file_type)); }

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> words;
  std::size_t start = 0;
  while (true) {
    const auto comma = text.find(',', start);
    words.push_back(text.substr(start, comma - start));
    if (comma == std::string::npos) return words;
    start = comma + 1;
  }
}

std::vector<std::string> accepted_words(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find('{');
  const auto close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return split_list(type.substr(open + 1, close - open - 1));
}

bool takes_file(const CLI::Option& option) { return option.get_type_name() == file_type; }

bool takes_process(const CLI::Option& option) { return option.get_type_name() == process_type; }

}  // namespace charm::cli
