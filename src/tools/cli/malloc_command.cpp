// `charm malloc`: the weights of the traffic-aware malloc, where a program's memory lies, and measuring a model.
#include <memory>

#include "tools/cli/commands.hpp"
#include "tools/cli/malloc/commands.hpp"
#include "tools/cli/options.hpp"
#include "tools/memory_traffic/source.hpp"

namespace charm::cli {
namespace {

void declare_source(CLI::App& app, std::string& source) {
  std::string kinds;
  for (const std::string& word : memory_traffic::source_words()) kinds += (kinds.empty() ? "" : ", ") + word;
  not_empty(app.add_option("--source", source, "Where the traffic is read: " + kinds + " [auto]"))->type_name("KIND");
}

void declare_malloc_weights(CLI::App& malloc_app, Session& session) {
  auto options = std::make_shared<MallocWeightsOptions>();
  CLI::App* app =
      malloc_app.add_subcommand("weights", "The parts of a huge block on each node, by where it is allocated");
  declare_weight_options(*app, options->weights);
  file_path(app->add_option(
      "--from", options->weights.from,
      "The machine's shape, from an hwloc XML file, synthetic string or product, in place of this one's"));
  app->add_flag("--live", options->live, "Of what the memory traffic of this moment leaves");
  declare_source(*app, options->source);
  number_within(app->add_option("--interval", options->interval, "With --live: seconds over which it is read [0.5]"),
                0.01, 3600);
  app->add_flag("--publish", options->publish,
                "Make them the weights of this user's programs under libcharm_malloc.so");
  CLI::Option* kernel = app->add_flag("--kernel", options->kernel,
                                      "Make them the kernel's, for charm run --mem weighted and all users (as root)");
  app->add_flag("--withdraw", options->withdraw,
                "Remove what --publish wrote: programs then place by their own model; with --kernel: restore the "
                "kernel's weights");
  file_path(app->add_option("--file", options->file, "Publish in this file, for CHARM_MALLOC_WEIGHTS"))
      ->excludes(kernel);
  kernel->excludes("--live")->excludes("--publish")->excludes("--from");
  add_output_options(*app, options->output);
  app->callback(
      [&session, options] { session.action = [&session, options] { return malloc_weights(*options, session); }; });
}

void declare_malloc_sample(CLI::App& malloc_app, Session& session) {
  auto options = std::make_shared<MallocSampleOptions>();
  CLI::App* app = malloc_app.add_subcommand(
      "sample", "Keep the weights up to date with the machine's memory traffic, for all programs under the malloc");
  declare_weight_options(*app, options->weights);
  file_path(app->add_option("--from", options->weights.from, "With --source replay:FILE: the machine's shape"));
  declare_source(*app, options->source);
  number_within(app->add_option("--interval", options->interval, "Seconds between two readings [0.1]"), 0.01, 3600);
  number_within(app->add_option("--seconds", options->seconds, "End after so many [a signal ends it]"), 0, 1e9);
  app->add_flag("--all-users", options->all_users, "For the programs of all users (as root)");
  file_path(app->add_option("--file", options->file, "Keep this file up to date, for CHARM_MALLOC_WEIGHTS"));
  file_path(app->add_option("--record", options->record, "Write the readings there, for --source replay:FILE"));
  add_output_options(*app, options->output);
  app->callback(
      [&session, options] { session.action = [&session, options] { return malloc_sample(*options, session); }; });
}

void declare_malloc_explain(CLI::App& malloc_app, Session& session) {
  auto options = std::make_shared<MallocExplainOptions>();
  CLI::App* app = malloc_app.add_subcommand("explain", "Where the pages of a process lie, and why");
  whole_number(app->add_option("pid", options->pid, "The process")->required(), 1, 1 << 30);
  number_within(app->add_option("--least", options->least_mib, "MiB of the smallest block that is listed [4]"), 0, 1e9);
  add_output_options(*app, options->output);
  app->callback(
      [&session, options] { session.action = [&session, options] { return malloc_explain(*options, session); }; });
}

void declare_malloc_profile(CLI::App& malloc_app, Session& session) {
  auto options = std::make_shared<MallocProfileOptions>();
  CLI::App* app =
      malloc_app.add_subcommand("profile", "Measure memories and buses, and store the model of this machine");
  number_within(app->add_option("--seconds", options->seconds, "Time to spend, more or less [20]"), 1, 3600);
  not_empty(app->add_option("--source", options->source,
                            "What counts the load's traffic: a source of charm malloc sample, or none: the load itself "
                            "[auto: the first that there is, else none]"))
      ->type_name("KIND");
  number_within(app->add_option("--error", options->error_percent,
                                "Percent that a polynomial may be off; else one of a higher degree is tried [5]"),
                0.1, 50);
  file_path(app->add_option("--file", options->file, "Write the model there, and do not store it"));
  add_output_options(*app, options->output);
  app->callback(
      [&session, options] { session.action = [&session, options] { return malloc_profile(*options, session); }; });
}

void declare_malloc_speed(CLI::App& malloc_app, Session& session) {
  auto options = std::make_shared<MallocSpeedOptions>();
  CLI::App* app = malloc_app.add_subcommand(
      "speed", "What blocks of malloc give and cost under the malloc that this command runs with");
  not_empty(app->add_option("--cpus", options->cpus, "A thread on each of them, as 0-15,32 [all that are allowed]"));
  whole_number(app->add_option("--mib", options->mib, "MiB of the block that the threads read [256]"), 1, 1 << 24);
  some_of(app->add_option("--only", options->only, "What to measure [all]"), malloc_speeds());
  add_output_options(*app, options->output);
  app->callback(
      [&session, options] { session.action = [&session, options] { return malloc_speed(*options, session); }; });
}

void declare_malloc(CLI::App& app, Session& session) {
  declare_malloc_weights(app, session);
  declare_malloc_explain(app, session);
  declare_malloc_profile(app, session);
  declare_malloc_sample(app, session);
  declare_malloc_speed(app, session);
  app.require_subcommand(1);
}

}  // namespace

Command malloc_entry() {
  return {"malloc", "Spread a program's memory over NUMA nodes by bandwidth: weights, where it lies, measuring",
          "  charm malloc weights --publish\n  charm malloc profile\n  charm malloc sample\n  charm run --malloc -- "
          "./program",
          declare_malloc};
}

}  // namespace charm::cli
