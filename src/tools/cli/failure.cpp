#include "tools/cli/failure.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <new>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.hpp"
#include "base/utf8.hpp"
#include "tools/cli/command.hpp"
#include "tools/cli/suggestion.hpp"

namespace charm::cli {
namespace {

/// A value of many thousand characters would hide what is said about it. Paths are whole: they have at most 4,096.
std::string with_words_cut(const std::string& line) {
  constexpr std::size_t longest = 5000, shown = 80;
  std::string text;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const std::string word = line.substr(at, end - at);
    text += word.size() <= longest
                ? word
                : base::valid_utf8(word.substr(0, shown)) + "… (" + std::to_string(word.size()) + " characters)";
    if (end < line.size()) text += ' ';
    at = end + 1;
  }
  return text;
}

/// A message may quote a file's content; whatever it holds, the user gets one line of printable text.
std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : base::valid_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\r' || c == '\t') {
      if (!line.empty() && line.back() != ' ') line += ' ';
    } else if (byte < 0x20 || byte == 0x7f) {
      line += '?';
    } else {
      line += c;
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return with_words_cut(line);
}

bool is_users_to_mend(Errc code) {
  switch (code) {
    case Errc::bad_input:
    case Errc::bad_config:
    case Errc::too_many_workers:
    case Errc::refused:
      return true;
    case Errc::not_running:
    case Errc::system:
    case Errc::cancelled:
    case Errc::remote:
    case Errc::conflict:
    case Errc::out_of_memory:
      return false;
  }
  return false;
}

/// "charm bench graph": the innermost command that was parsed.
std::string parsed_path(const CLI::App& app) {
  std::string path = app.get_name();
  for (const CLI::App* sub : app.get_subcommands()) path += " " + parsed_path(*sub);
  return path;
}

/// The name that was probably meant by what the parser did not expect; empty: no idea.
std::string meant_by(const CLI::App& app, const CLI::ParseError& error) {
  const bool unexpected = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const bool missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;  // "bench grph" lacks a command
  if (!unexpected && !missing) return "";
  for (const std::string& word : app.remaining(true)) {
    if (word == "--") return "";
    if (const std::string meant = suggestion(word, names_there(app, word)); !meant.empty()) return meant;
  }
  return "";
}

/// The parser's words; it lists what it did not expect from the end.
std::string problem(const CLI::App& app, const CLI::ParseError& error) {
  const auto left = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || left.size() < 2) return one_line(error.what());
  return one_line(fmt::format("The following arguments were not expected: {}", fmt::join(left, " ")));
}

}  // namespace

Failure judge(const std::exception& error) {
  if (const auto* ours = dynamic_cast<const Error*>(&error)) {
    return {"charm: " + one_line(ours->what()), is_users_to_mend(ours->code()) ? exit_usage : exit_failed};
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return {"charm: out of memory; take a smaller --scale or free memory", exit_failed};
  }
  return {"charm: " + one_line(base::json_problem(error)), exit_failed};  // a message of another library
}

std::string usage_line(const CLI::App& app, const CLI::ParseError& error) {
  std::string path = parsed_path(app);
  if (const auto before = app.remaining(); !before.empty() && before.front().starts_with("-") && path != app.get_name())
    return "charm: " + before.front() + " stands before the command; options stand behind it: '" + path + " " +
           before.front() + "'";
  if (const std::string meant = meant_by(app, error); !meant.empty())
    return "charm: " + problem(app, error) + "; did you mean " + meant + "? See '" + path + " --help'";
  return "charm: " + problem(app, error) + "; see '" + path + " --help'";
}

}  // namespace charm::cli
