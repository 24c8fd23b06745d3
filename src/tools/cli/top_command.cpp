// `charm top`: shows live what runs where. top/sampler reads the machine, top/watch compares two samples, top/screen
// draws the result; this file decides when to sample, where to write, and when to stop.
#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <clocale>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <langinfo.h>
#include <memory>
#include <optional>
#include <ostream>

#include "base/settings.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/options.hpp"
#include "tools/os/system_placement.hpp"
#include "tools/os/terminal.hpp"
#include "tools/top/event_choice.hpp"
#include "tools/top/json.hpp"
#include "tools/top/keys.hpp"
#include "tools/top/metrics.hpp"
#include "tools/top/metrics_server.hpp"
#include "tools/top/replay_writer.hpp"
#include "tools/top/sampler.hpp"
#include "tools/top/screen.hpp"
#include "topology/discovery.hpp"

namespace charm::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct TopOptions {
  int pid = 0;
  bool json = false;
  bool once = false;
  bool plain = false;
  std::optional<std::string> record;
  std::optional<std::string> metrics;
  bool metrics_anywhere = false;
  std::string events;
  double interval = 1;
  top::View view;
  Colour colour = Colour::automatic;
};

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%H:%M:%S", &parts);
  return text.data();
}

bool speaks_unicode() {
  std::setlocale(LC_CTYPE, "");
  return std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool dumb_terminal() {
  const char* term = std::getenv("TERM");
  return term == nullptr || *term == '\0' || std::strcmp(term, "dumb") == 0;
}

/// $COLUMNS, which a user sets for programs that cannot ask the terminal; else room for all columns.
std::size_t width_of_a_pipe() {
  constexpr std::size_t all_columns = 132;
  const char* columns = std::getenv("COLUMNS");
  const int wanted = columns == nullptr ? 0 : std::atoi(columns);
  return wanted >= 20 ? static_cast<std::size_t>(wanted) : all_columns;
}

/// Everything between two looks, however it is shown.
class Monitor {
 public:
  Monitor(const TopOptions& options, const Machine& machine, const top::EventChoice& events, bool count,
          const std::string& why_not)
      : sampler_(machine, options.pid, count, why_not, "/", events),
        watch_(machine, options.pid, sampler_.program()),
        metrics_(CHARM_VERSION) {
    if (options.metrics) {
      server_ = std::make_unique<top::MetricsServer>(top::metrics_address(*options.metrics, options.metrics_anywhere));
    }
    if (options.record) writer_ = std::make_unique<top::ReplayWriter>(*options.record, sampler_.description());
  }
  /// Where metrics are served; empty: nowhere.
  [[nodiscard]] std::string url() const { return server_ == nullptr ? "" : server_->url(); }
  /// Whether the view shows processes, so that those of one process's family are to be found.
  void with_family(bool on) { sampler_.with_family(on); }
  top::Snapshot next() {
    const top::Sample sample = sampler_.sample();
    if (writer_ != nullptr && !sample.ended) writer_->write(sample);
    top::Snapshot snapshot = watch_.next(sample);
    sampler_.complete(snapshot);
    snapshot.placed_by = placed_by_;
    if (server_ != nullptr) {
      metrics_.add(snapshot);
      server_->publish(metrics_.text(top::MetricFormat::openmetrics), metrics_.text(top::MetricFormat::prometheus));
    }
    return snapshot;
  }

 private:
  const std::string placed_by_ = os::one_line(os::read_system_placement());
  top::Sampler sampler_;
  top::Watch watch_;
  std::unique_ptr<top::ReplayWriter> writer_;
  top::Metrics metrics_;
  std::unique_ptr<top::MetricsServer> server_;
};

/// How it ended: 0, or the signal that asked for it.
using Ended = int;

class Interval {
 public:
  explicit Interval(double seconds)
      : length_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))),
        next_(Clock::now() + length_) {}
  [[nodiscard]] Clock::time_point next() const { return next_; }
  /// What took too long is left out, not made up for.
  void passed() { next_ = std::max(next_ + length_, Clock::now() + length_ / 4); }

 private:
  Clock::duration length_;
  Clock::time_point next_;
};

/// Lines or screens one below the other, or nothing but metrics, until it ends; the first look tells no shares and is
/// not shown.
Ended flow(const TopOptions& options, Monitor& session, const top::ScreenOptions& look, bool silent,
           std::ostream& out) {
  const os::SignalQueue signals;
  Interval interval(options.interval);
  session.next();
  while (true) {
    const os::TerminalEvent event = os::wait_for_event(signals, false, interval.next());
    if (event.kind == os::TerminalEvent::Kind::signal) {
      if (event.value == SIGWINCH) continue;
      if (event.value == SIGTSTP) {
        raise(SIGSTOP);
        continue;
      }
      return event.value;
    }
    interval.passed();
    const top::Snapshot snapshot = session.next();
    if (silent) {
      // Whoever scrapes sees it.
    } else if (options.json) {
      out << top::json_line(snapshot) << std::flush;
    } else {
      top::ScreenOptions now = look;
      now.clock = time_of_day();
      for (const auto& line : top::render(snapshot, now)) out << line << '\n';
      if (!options.once) out << '\n';
      out << std::flush;
    }
    if (!out || options.once || snapshot.ended) return 0;
  }
}

class Live {
 public:
  Live(const TopOptions& options, Monitor& session, top::ScreenOptions look)
      : options_(options), session_(session), look_(std::move(look)) {}

  Ended run() {
    const os::SignalQueue signals;
    os::FullScreen screen;
    Interval interval(options_.interval);
    // The shares of the first quarter of a second are there soon; then the interval is as asked for.
    session_.next();
    auto until = std::min(interval.next(), Clock::now() + std::chrono::milliseconds(250));
    while (true) {
      constexpr auto rest_of_a_key = std::chrono::milliseconds(50);
      const auto wake = keyboard_.waits() ? std::min(until, Clock::now() + rest_of_a_key) : until;
      const os::TerminalEvent event = os::wait_for_event(signals, os::is_terminal(os::Stream::input), wake);
      switch (event.kind) {
        case os::TerminalEvent::Kind::tick:
          if (Clock::now() < until) {  // only the keyboard was waited for
            keyboard_.pause(look_);
            break;
          }
          if (!look_.held) snapshot_ = session_.next();
          interval.passed();
          until = interval.next();
          break;
        case os::TerminalEvent::Kind::key:
          if (press(event.value)) return 0;
          break;
        case os::TerminalEvent::Kind::signal:
          if (event.value == SIGTSTP) {
            screen.leave();
            raise(SIGSTOP);
            screen.enter();
          } else if (event.value != SIGWINCH) {
            return event.value;
          }
          break;
      }
      if (snapshot_ && !draw(*snapshot_, screen)) return 0;
    }
  }

 private:
  /// \return whether it is to end.
  bool press(int key) {
    const std::size_t rows = snapshot_ ? top::row_count(*snapshot_, look_.view) : 0;
    const bool ends = keyboard_.press(static_cast<unsigned char>(key), look_, rows, look_.height / 2);
    session_.with_family(look_.view.processes);
    return ends;
  }

  bool draw(const top::Snapshot& snapshot, const os::FullScreen& screen) {
    const os::TerminalSize size = os::terminal_size(os::Stream::output);
    look_.width = size.width;
    look_.height = size.height;
    if (!look_.held) look_.clock = time_of_day();
    return screen.draw(top::render(snapshot, look_));
  }

  const TopOptions& options_;
  Monitor& session_;
  top::ScreenOptions look_;
  top::Keyboard keyboard_;
  std::optional<top::Snapshot> snapshot_;
};

int run(const TopOptions& options, Session& session) {
  if (options.record && options.pid == 0) {
    throw Error(Errc::bad_input, "--record without a process", "give its PID: a recording is of one program's threads");
  }
  if (options.metrics_anywhere && !options.metrics)
    throw Error(Errc::bad_input, "--metrics-anywhere without --metrics", "give the address: --metrics 0.0.0.0:9400");
  const auto settings = base::resolve({});
  const top::EventChoice events = top::event_choice(options.events.empty() ? settings.counter_events : options.events);
  const bool by_setting =
      settings.counters.choice != base::Counters::none && settings.counters.choice != base::Counters::software;
  const bool count = by_setting && !events.none;
  const Machine machine = topology::discover_quietly(topology::source_of(settings)).machine;
  Monitor monitor(
      options, machine, events, count,
      by_setting ? "--events is none" : "the setting counters is " + base::counters_text(settings.counters));
  monitor.with_family(options.view.processes);

  top::ScreenOptions look;
  look.unicode = speaks_unicode() && !options.plain;
  look.colour = colour_on_stdout(options.colour);
  look.view = options.view;
  look.metrics = monitor.url();
  const bool screen =
      os::is_terminal(os::Stream::output) && !options.json && !options.once && !options.plain && !dumb_terminal();
  Ended ended = 0;
  if (screen) {
    ended = Live(options, monitor, look).run();
  } else {
    const os::TerminalSize size = os::terminal_size(os::Stream::output);
    // A file or a pipe has no width that lines would have to fit in.
    look.width = os::is_terminal(os::Stream::output) ? size.width : width_of_a_pipe();
    look.height = size.height;
    look.keys = false;
    look.unicode = look.unicode && !dumb_terminal();
    // Metrics without a terminal are a service, which writes nothing but where they are.
    const bool silent =
        options.metrics && !options.json && !options.plain && !options.once && !os::is_terminal(os::Stream::output);
    if (silent) session.err << "charm top: metrics at " << look.metrics << std::endl;
    ended = flow(options, monitor, look, silent, session.out);
  }
  if (ended == 0 || ended == SIGPIPE) return exit_done;
  // The terminal is in order again: end as a program does that does not know the signal.
  std::signal(ended, SIG_DFL);
  raise(ended);
  return exit_failed;
}

void declare_top(CLI::App& app, Session& session) {
  auto options = std::make_shared<TopOptions>();
  process_id(app.add_option("pid", options->pid, "A process [the whole machine]"));
  number_within(app.add_option("--interval", options->interval, "Seconds between two updates [1]"), 0.05, 86400)
      ->type_name("S");
  file_path(app.add_option("--record", options->record, "Write a recording that CHARM_COUNTERS=replay:FILE reads"));
  app.add_flag("--once", options->once, "One interval, then end");
  app.add_flag("--plain", options->plain, "Screens one below the other, in ASCII");
  app.add_flag("--json", options->json, "A line of JSON each interval");
  app.add_flag("--processes", options->view.processes, "Processes instead of threads");
  app.add_flag("--tree", options->view.tree, "Processes below their parents");
  app.add_flag("--full", options->view.full_command, "Whole command lines instead of names");
  app.add_option("--filter", options->view.filter, "Only rows with this text in name, command line or user")
      ->type_name("TEXT");
  std::vector<std::string> columns;
  for (const bool processes : {false, true}) {
    for (const top::SortBy column : top::sort_columns(processes)) {
      const std::string word(top::name_of(column));
      if (std::find(columns.begin(), columns.end(), word) == columns.end()) columns.push_back(word);
    }
  }
  one_of(app.add_option_function<std::string>(
                "--sort",
                [options](const std::string& word) {
                  options->view.sort_by = top::sort_column_named(word).value_or(top::SortBy::busy);
                },
                "Column to sort by")
             ->default_str("busy"),
         columns);
  app.add_flag("--reverse", options->view.reversed, "The other way round");
  app.add_option("--events", options->events, "What to count: all, none, sources, or SOURCE=EVENT [all]")
      ->type_name("LIST");
  app.add_option("--metrics", options->metrics, "Serve OpenMetrics over HTTP there, such as 127.0.0.1:9400")
      ->type_name("ADDRESS");
  app.add_flag("--metrics-anywhere", options->metrics_anywhere, "Let --metrics take what other machines reach");
  choice_option(app, "--color", options->colour, "Colour of the text output")
      ->default_str(std::string(base::word_of(options->colour)));
  app.callback([&session, options] {
    options->view.processes = options->view.processes || options->view.tree;
    session.action = [&session, options] { return run(*options, session); };
  });
}

}  // namespace

Command top_entry() {
  return {"top", "Show live which threads run on which chiplets, and what moves",
          "  charm top\n  charm top 4242 --interval 0.5\n  charm top 4242 --json --record threads.csv\n  charm top "
          "--tree --full\n"
          "  charm top --metrics 127.0.0.1:9400",
          declare_top};
}

}  // namespace charm::cli
