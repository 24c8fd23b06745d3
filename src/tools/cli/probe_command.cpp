// The options of `charm probe`; probe.cpp does the work.
#include <memory>

#include "tools/cli/commands.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/probe.hpp"

namespace charm::cli {
namespace {

struct ProbeArguments {
  ProbeOptions probe;
  OutputOptions output;
  std::string parts;
  bool no_store = false;
};

void declare_probe(CLI::App& app, Session& session) {
  auto options = std::make_shared<ProbeArguments>();
  ProbeOptions& probe = options->probe;
  file_path(app.add_option("--cluster", probe.cluster, "Read a latency matrix (CSV) and say what machine it shows"));
  file_path(app.add_option("--show", probe.show, "Show a stored profile instead of measuring; - for this machine's"));
  some_of(app.add_option("--only", options->parts, "Measure only these"),
          {"latency", "bandwidth", "stream", "caches", "writes"});
  choice_option(app, "--pairs", probe.pairs, "Which pairs of cpus to measure");
  app.add_option("--budget", probe.budget_s, "Seconds to spend, more or less; more for every pair of a large machine");
  file_path(app.add_option("--csv", probe.csv, "Write the latencies as core-to-core-latency does"));
  file_path(app.add_option("--svg", probe.svg, "Write the heatmap of latencies"));
  file_path(app.add_option("--html", probe.html, "Write one page with everything"));
  app.add_flag("--no-store", options->no_store, "Do not keep the profile for later runs");
  app.add_flag("--ascii", probe.ascii, "Draw with ASCII characters alone");
  add_output_options(app, options->output);
  app.callback([&session, options] {
    if (!options->parts.empty()) options->probe.parts = split_list(options->parts);
    options->probe.store = !options->no_store;
    options->probe.json = options->output.json;
    options->probe.quiet = options->output.quiet;
    options->probe.colour = colour_on_stdout(options->output.colour);
    session.action = [&session, options] { return probe_command(options->probe, session.out, session.err); };
  });
}

}  // namespace

Command probe_entry() {
  return {"probe", "Measure the machine: latencies, bandwidths, caches, and the chiplets they show",
          "  charm probe --cluster matrix.csv --json\n  charm probe --html probe.html", declare_probe};
}

}  // namespace charm::cli
