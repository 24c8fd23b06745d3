#include "tools/cli/man_page.hpp"

#include <algorithm>
#include <cctype>

#include "tools/cli/options.hpp"

namespace charm::cli {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// Text that troff takes as it is: backslashes, dashes that can be copied, and no macro at the beginning of a line.
std::string escaped(const std::string& text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '~') {
      out += "\\(ti";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '`') {
      out += "\\(ga";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
    at_start = c == '\n';
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0 && option.get_type_size() > 0;
}

constexpr std::size_t longest_list = 40;  // of words in the line with the option's name

bool has_long_list(const CLI::Option& option) { return option.get_type_name().size() > longest_list; }

std::string value_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type.empty()) return "VALUE";
  if (has_long_list(option)) return type.ends_with("...") ? "WORD,..." : "WORD";
  return type.substr(0, type.find(':'));  // behind it CLI11 writes a type of C++
}

/// What it does, and which words it takes if they are not in the line with its name.
std::string description_of(const CLI::Option& option) {
  std::string text = escaped(option.get_description()) + "\n";
  if (!has_long_list(option)) return text;
  std::string words;
  for (const auto& word : accepted_words(option)) words += (words.empty() ? "" : ", ") + word;
  return words.empty() ? text : text + ".br\nWords: " + escaped(words) + ".\n";
}

bool is_shown(const CLI::Option& option) { return !option.get_group().empty(); }

std::vector<const CLI::Option*> options_of(const CLI::App& app, bool positional) {
  std::vector<const CLI::Option*> options;
  for (const CLI::Option* option : app.get_options()) {
    if (is_shown(*option) && option->get_positional() == positional) options.push_back(option);
  }
  return options;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); });
}

std::string synopsis(const CLI::App& app, const std::string& path) {
  std::string text = ".B " + escaped(path) + "\n";
  if (!options_of(app, false).empty()) text += "[\\fIoptions\\fR]\n";
  for (const CLI::Option* option : options_of(app, true)) {
    // What stands for programs says itself how it is written.
    const bool described = option->get_type_name().empty();
    const std::string word = described ? escaped(option->get_description()) : italic(option->get_name());
    text += option->get_required() || described ? word + "\n" : "[" + word + "]\n";
  }
  if (!commands_of(app).empty()) text += "\\fIcommand\\fR ...\n";
  return text;
}

std::string option_list(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : options_of(app, true)) {
    if (!option->get_type_name().empty()) text += ".TP\n" + italic(option->get_name()) + "\n" + description_of(*option);
  }
  for (const CLI::Option* option : options_of(app, false)) {
    std::string names;
    for (const auto& name : option->get_snames()) names += (names.empty() ? "" : ", ") + bold("-" + name);
    for (const auto& name : option->get_lnames()) names += (names.empty() ? "" : ", ") + bold("--" + name);
    if (takes_value(*option)) names += " " + italic(value_of(*option));
    text += ".TP\n" + names + "\n" + description_of(*option);
  }
  return text;
}

/// The lines of "Example:" in the footer, which are commands; other lines are text.
std::string examples(const CLI::App& app) {
  std::string text;
  const std::string footer = app.get_footer();
  for (std::size_t start = 0; start < footer.size();) {
    const auto end = std::min(footer.find('\n', start), footer.size());
    const std::string line = footer.substr(start, end - start);
    start = end + 1;
    const auto first = line.find_first_not_of(' ');
    if (first == std::string::npos || line == "Example:") continue;
    text += first == 0 ? ".PP\n" + escaped(line) + "\n" : ".PP\n.EX\n" + escaped(line.substr(first)) + "\n.EE\n";
  }
  return text;
}

std::string page_name(const std::string& path) {
  std::string name = path;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

}  // namespace

std::string man_page(const CLI::App& app, const std::string& path, const std::string& version) {
  const bool top = path.find(' ') == std::string::npos;
  const std::string name = page_name(path);
  // No date: the same sources give the same page.
  std::string text = ".TH " + upper(escaped(name)) + " 1 \"\" \"charm " + escaped(version) + "\" \"User Commands\"\n";
  text += ".SH NAME\n" + escaped(name) + " \\- " + escaped(app.get_description()) + "\n";
  text += ".SH SYNOPSIS\n" + synopsis(app, path);
  const std::string options = option_list(app);
  if (!options.empty()) text += ".SH OPTIONS\n" + options;
  const auto commands = commands_of(app);
  if (!commands.empty()) {
    text += ".SH COMMANDS\n";
    for (const CLI::App* sub : commands) {
      if (top) {
        text += ".TP\n.BR " + escaped(page_name(path + " " + sub->get_name())) + " (1)\n" +
                escaped(sub->get_description()) + "\n";
        continue;
      }
      text += ".SS " + escaped(sub->get_name()) + "\n" + escaped(sub->get_description()) + "\n.PP\n" +
              synopsis(*sub, path + " " + sub->get_name()) + option_list(*sub);
      for (const CLI::App* below : commands_of(*sub))
        text += ".TP\n" + bold(below->get_name()) + "\n" + escaped(below->get_description()) + "\n";
    }
  }
  const std::string shown = examples(app);
  if (!shown.empty()) text += ".SH EXAMPLES\n" + shown;
  text += ".SH SEE ALSO\n";
  return text + (top ? "The pages of the commands, and the documentation in share/doc/charm.\n" : ".BR charm (1)\n");
}

std::vector<std::pair<std::string, std::string>> man_pages(const CLI::App& app, const std::string& version) {
  const std::string& root = app.get_name();
  std::vector<std::pair<std::string, std::string>> pages = {{root + ".1", man_page(app, root, version)}};
  for (const CLI::App* sub : commands_of(app)) {
    const std::string path = root + " " + sub->get_name();
    pages.emplace_back(page_name(path) + ".1", man_page(*sub, path, version));
  }
  return pages;
}

}  // namespace charm::cli
