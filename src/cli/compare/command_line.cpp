#include "cli/compare/command_line.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <string_view>

#include "base/format.hpp"
#include "cli/text_table.hpp"

namespace charm::cli {
namespace {

constexpr const char* example = "'charm compare -- ./old input -- ./new input'";

std::string quoted(const std::string& word) {
  constexpr std::string_view special = " \t\n'\"\\$&|;<>()*?[]#~`!{}";
  if (!word.empty() && word.find_first_of(special) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::vector<std::string> after_dashes(const std::vector<std::string>& words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end()) return {};
  return {dashes + 1, words.end()};
}

std::vector<compare::Program> two_programs(const std::vector<std::string>& words) {
  const auto between = std::find(words.begin(), words.end(), "--");
  if (between == words.end()) {
    throw Error(Errc::bad_input, words.empty() ? "no programs to compare" : "one program cannot be compared",
                std::string("give two, each after '--', as in ") + example + ", or --policies and one");
  }
  const std::vector<std::string> a(words.begin(), between);
  const std::vector<std::string> b(between + 1, words.end());
  if (a.empty() || b.empty()) {
    throw Error(Errc::bad_input, std::string("program ") + (a.empty() ? "A" : "B") + " is empty",
                std::string("give two, each after '--', as in ") + example);
  }
  if (std::find(b.begin(), b.end(), "--") != b.end()) {
    throw Error(Errc::bad_input, "there is a third '--', and it is not clear where program B begins",
                "put a program that takes '--' itself into quotes: sh -c 'prog -- x'");
  }
  return {{"A", a}, {"B", b}};
}

std::vector<compare::Program> under_policies(const std::string& tool, const std::vector<std::string>& policies,
                                             const std::vector<std::string>& words) {
  if (policies.size() < 2) {
    throw Error(Errc::bad_input, "--policies names one policy", "name two or more, separated by commas");
  }
  if (words.empty()) {
    throw Error(Errc::bad_input, "no program to run under the policies",
                "give it after '--', as in 'charm compare --policies local,distributed -- ./program'");
  }
  std::vector<compare::Program> programs;
  for (const auto& policy : policies) {
    compare::Program program{policy, {tool, "run", "--policy", policy, "--"}};
    program.words.insert(program.words.end(), words.begin(), words.end());
    programs.push_back(std::move(program));
  }
  return programs;
}

std::string as_shell_words(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

std::string shown_command(const compare::Program& program, std::size_t most) {
  std::string text;
  for (const char c : as_shell_words(program.words)) text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  if (base::display_width(text) <= most) return text;
  std::size_t end = 0;
  for (std::size_t shown = 0; shown < most && end < text.size(); ++shown) {
    ++end;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) ++end;
  }
  return text.substr(0, end) + "…";
}

}  // namespace charm::cli
