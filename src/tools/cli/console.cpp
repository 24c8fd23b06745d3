#include "tools/cli/console.hpp"

#include <cstdlib>
#include <cstring>
#include <ostream>

#include "tools/cli/options.hpp"
#include "tools/os/terminal.hpp"

namespace charm::cli {
void add_output_options(CLI::App& app, OutputOptions& options) {
  app.add_flag("--json", options.json, "Print JSON on stdout and nothing else there");
  app.add_flag("-q,--quiet", options.quiet, "No progress on stderr");
  choice_option(app, "--color", options.colour, "Colour of the text output")
      ->default_str(std::string(base::word_of(options.colour)));
}

bool use_colour(Colour choice, bool is_terminal, const char* no_color, const char* term) {
  if (choice != Colour::automatic) return choice == Colour::always;
  if (no_color != nullptr && *no_color != '\0') return false;
  return is_terminal && term != nullptr && std::strcmp(term, "dumb") != 0;
}

bool colour_on_stdout(Colour choice) {
  return use_colour(choice, os::is_terminal(os::Stream::output), std::getenv("NO_COLOR"), std::getenv("TERM"));
}

Progress::Mode Progress::mode_for_stderr(bool quiet) {
  if (quiet) return Mode::silent;
  const char* term = std::getenv("TERM");
  const bool rewritable = os::is_terminal(os::Stream::error) && term != nullptr && std::strcmp(term, "dumb") != 0;
  return rewritable ? Mode::rewriting : Mode::lines;
}

void Progress::step(const std::string& text) {
  if (mode_ == Mode::lines) err_ << text << '\n' << std::flush;
  if (mode_ == Mode::rewriting) rewrite(text);
}

void Progress::detail(const std::string& text) {
  if (mode_ == Mode::rewriting) rewrite(text);
}

void Progress::clear() {
  if (!line_is_open_) return;
  err_ << "\r\x1b[K" << std::flush;
  line_is_open_ = false;
}

void Progress::rewrite(const std::string& text) {
  // The line must not wrap: a wrapped line cannot be rewritten.
  err_ << "\r\x1b[K" << text.substr(0, os::terminal_size(os::Stream::error).width - 1) << std::flush;
  line_is_open_ = true;
}

}  // namespace charm::cli
