#include "tools/cli/compare/command_line.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <string_view>

#include "base/format.hpp"
#include "tools/cli/text_table.hpp"

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

/// A to Z, then AA, AB, ….
std::string letters(std::size_t number) {
  std::string text;
  for (std::size_t left = number + 1; left > 0; left = (left - 1) / 26)
    text.insert(text.begin(), static_cast<char>('A' + (left - 1) % 26));
  return text;
}

/// "threads=4 size=10"
std::string text_of(const compare::Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

}  // namespace

std::vector<std::string> after_dashes(const std::vector<std::string>& words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end()) return {};
  return {dashes + 1, words.end()};
}

std::vector<std::string> typed_values(const std::vector<std::string>& words, const std::string& option) {
  std::vector<std::string> values;
  for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == option && i + 1 < words.size()) {
      values.push_back(words[++i]);
    } else if (words[i].starts_with(option + "=")) {
      values.push_back(words[i].substr(option.size() + 1));
    }
  }
  return values;
}

std::vector<compare::Program> separate_programs(const std::vector<std::string>& words) {
  std::vector<compare::Program> programs;
  if (words.empty()) {
    throw Error(Errc::bad_input, "no programs to compare",
                std::string("give two or more, each after '--', as in ") + example);
  }
  for (auto begin = words.begin();;) {
    const auto end = std::find(begin, words.end(), "--");
    programs.push_back({letters(programs.size()), {begin, end}});
    if (programs.back().words.empty()) {
      throw Error(Errc::bad_input, "program " + programs.back().name + " is empty",
                  std::string("give each after '--', as in ") + example);
    }
    if (end == words.end()) return programs;
    begin = end + 1;
  }
}

std::vector<compare::Program> expanded(const std::vector<compare::Program>& programs, const PerProgram& asked) {
  const std::size_t count = programs.size();
  if (!asked.names.empty() && asked.names.size() != count) {
    throw Error(Errc::bad_input, base::counted(asked.names.size(), "name") + " for " + base::counted(count, "program"),
                "give --name once for each program, in their order");
  }
  const auto check = [&](const std::vector<std::string>& commands, const char* option) {
    if (commands.size() > 1 && commands.size() != count) {
      throw Error(Errc::bad_input,
                  std::string(option) + ": " + base::counted(commands.size(), "command") + " for " +
                      base::counted(count, "program"),
                  "give it once for all programs, or once for each in their order");
    }
  };
  check(asked.prepare, "--prepare");
  check(asked.setup, "--setup");
  check(asked.cleanup, "--cleanup");
  const auto all = compare::combinations(asked.scans);
  if (count * all.size() < 2) {
    throw Error(Errc::bad_input, "one program cannot be compared",
                std::string("give two, each after '--', as in ") + example + ", or --policies or --scan and one");
  }
  std::vector<compare::Program> result;
  for (std::size_t p = 0; p < count; ++p) {
    const auto own = [&](const std::vector<std::string>& texts) {
      return texts.empty() ? std::string() : texts.size() == 1 ? texts.front() : texts[p];
    };
    for (const auto& parameters : all) {
      compare::Program program;
      program.parameters = parameters;
      for (const auto& word : programs[p].words) program.words.push_back(compare::substituted(word, parameters));
      program.prepare = compare::substituted(own(asked.prepare), parameters);
      program.setup = compare::substituted(own(asked.setup), parameters);
      program.cleanup = compare::substituted(own(asked.cleanup), parameters);
      const std::string pattern = asked.names.empty() ? programs[p].name : asked.names[p];
      program.name = compare::substituted(pattern, parameters);
      if (program.name == pattern && !parameters.empty()) {
        // The letter of an only program would say nothing.
        const std::string values = text_of(parameters);
        program.name = count == 1 && asked.names.empty() && pattern == "A" ? values : pattern + " " + values;
      }
      result.push_back(std::move(program));
    }
  }
  for (const auto& scan : asked.scans) {
    const std::string word = "{" + scan.name + "}";
    const auto has = [&](const std::string& text) { return text.find(word) != std::string::npos; };
    const auto uses = [&](const compare::Program& program) {
      return std::any_of(program.words.begin(), program.words.end(), has);
    };
    if (std::none_of(programs.begin(), programs.end(), uses) &&
        std::none_of(asked.prepare.begin(), asked.prepare.end(), has) &&
        std::none_of(asked.setup.begin(), asked.setup.end(), has)) {
      throw Error(Errc::bad_input, "--scan: no program has the word " + word,
                  "write " + word + " where its values belong");
    }
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (result[i].name == result[j].name) {
        throw Error(Errc::bad_input, "two programs have the name '" + result[i].name + "'",
                    "give each a --name of its own");
      }
    }
    if (result[i].name.find_first_not_of(" \t\n") == std::string::npos)
      throw Error(Errc::bad_input, "--name: '' names nothing", "give each program a name, or none");
  }
  return result;
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
