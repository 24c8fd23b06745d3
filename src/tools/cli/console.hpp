// The output options that all commands share: --json, --quiet, --color, and progress. Results go to stdout, everything
// else to stderr, so that the output of `charm ... --json` is always valid JSON.
#pragma once

#include <array>
#include <iosfwd>
#include <string>

#include "base/choice.hpp"
#include "tools/cli/cli11.hpp"

namespace charm::cli {

enum class Colour { automatic, always, never };
constexpr auto choices(Colour /*unused*/) {
  return std::array{base::Choice{Colour::automatic, "auto"}, base::Choice{Colour::always, "always"},
                    base::Choice{Colour::never, "never"}};
}

struct OutputOptions {
  bool json = false;
  bool quiet = false;
  Colour colour = Colour::automatic;
};

/// Declares --json, --quiet and --color on a command; the options live as long as the parse and the action.
void add_output_options(CLI::App& app, OutputOptions& options);

/// Whether to colour a stream: the option decides; automatic means a terminal, a TERM that is not "dumb", and no
/// NO_COLOR (https://no-color.org: set and not empty). The environment comes as arguments; a null pointer is an unset
/// variable.
bool use_colour(Colour choice, bool is_terminal, const char* no_color, const char* term);

/// The same for this process's stdout.
bool colour_on_stdout(Colour choice);

/// Progress of long work. On a terminal one line that is rewritten; elsewhere a line for each step, so that a log shows
/// it as well; nothing with --quiet.
class Progress {
 public:
  enum class Mode { silent, lines, rewriting };

  Progress(std::ostream& err, Mode mode) : err_(err), mode_(mode) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  static Mode mode_for_stderr(bool quiet);

  /// Begins a step, which gets a line of its own in a log.
  void step(const std::string& text);
  /// Shows the present activity within the step, on a terminal only.
  void detail(const std::string& text);
  /// Erases the rewritten line before something else is printed.
  void clear();

 private:
  void rewrite(const std::string& text);

  std::ostream& err_;
  Mode mode_;
  bool line_is_open_ = false;
};

}  // namespace charm::cli
