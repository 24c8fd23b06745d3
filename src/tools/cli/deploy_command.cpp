// The options of `charm deploy`; cli/deploy does the work.
#include <memory>

#include "tools/cli/commands.hpp"
#include "tools/cli/deploy/commands.hpp"
#include "tools/cli/options.hpp"
#include "tools/deploy/target.hpp"

namespace charm::cli {
namespace {

std::vector<std::string> target_names(bool startable) {
  std::vector<std::string> names;
  for (const deploy::Target& each : deploy::targets()) {
    if (!startable || each.launch != nullptr) names.emplace_back(each.name);
  }
  return names;
}

void declare_request(CLI::App& app, DeployRequest& options) {
  deploy::Request& request = options.request;
  choice_option(app, "--policy", request.policy,
                "One worker per machine (wim), NUMA node (win), chiplet (wicp) or core (wic)")
      ->default_str(std::string(base::word_of(request.policy)));
  choice_option(app, "--shape", request.shape,
                "wicp: cores of one chiplet, or as many spread over the chiplets of its node")
      ->default_str(std::string(base::word_of(request.shape)));
  whole_number(app.add_option("--per-chiplet", request.per_chiplet, "wicp: workers on each chiplet [1]"), 1, 4096);
  one_of(
      app.add_option("--memory", options.memory,
                     "From the worker's nodes alone, preferably from its node, from its nodes in turn by the kernel's "
                     "weights, or as the kernel likes [bind; wim: none]"),
      base::words_of<deploy::Memory>());
  not_empty(
      app.add_option("--domains", options.domains,
                     "Groups of cores that count as chiplets within a cache: cluster, a number of parts, lists of "
                     "cpus as '0-13;14-27', or a file of lists"));
  app.add_flag("--smt", request.smt, "Give workers all hardware threads of their cores, not only the first");
  not_empty(
      app.add_option("--cpus", options.cpus,
                     "The only cpus to use, as 0-15,32 or kind:performance [all that are allowed but low-power ones]"));
  whole_number(app.add_option("--leave-cores", request.leave_cores, "Cores of each machine left to the system [0]"), 0,
               65536);
  not_empty(app.add_option("--reserve", options.reserve,
                           "Memory of each node left to the system, as 8G [a tenth, at least 1G]"));
  not_empty(
      app.add_option("--node-memory", options.node_memory, "Memory of each node of a described machine, as 256G"));
  whole_number(app.add_option("--port", request.port, "First port; each worker has two [20000]"), 1, 65535);
  file_path(app.add_option("--dir", request.directory, "Folder of the workers' folders [charm-deploy]"));
  not_empty(
      app.add_option("--model", options.options.model, "What the servers of llama and vllm load: a file or a name"));
  app.add_option("--exec", options.options.exec,
                 "The workers' command: {port}, {web_port}, {dir}, {name}, {index}, {host}, {cpus}, {cores}, {nodes}, "
                 "{memory_mb} and {heap_mb} stand for the worker's");
}

void declare_deploy_plan(CLI::App& deploy_app, Session& session) {
  auto options = std::make_shared<DeployPlanOptions>();
  CLI::App* app = deploy_app.add_subcommand("plan", "Which workers, on which cpus, with which memory and ports");
  file_path(app->add_option("--from,--machine", options->from,
                            "Machines instead of this one: [HOST=] and an hwloc XML file, synthetic string, profile or "
                            "sysfs tree; - is this one"));
  declare_request(*app, *options);
  one_of(app->add_option("--target", options->target, "Print the files for an engine or launcher"),
         target_names(false));
  file_path(app->add_option("--output", options->output, "Write them to this folder"));
  app->add_option("--image", options->options.image, "Image of containers and pods");
  not_empty(app->add_option("--coordinator", options->options.coordinator,
                            "Host of the engine's master or coordinator [localhost]"));
  add_output_options(*app, options->out);
  app->callback(
      [&session, options] { session.action = [&session, options] { return deploy_plan(*options, session); }; });
}

void declare_deploy_up(CLI::App& deploy_app, Session& session) {
  auto options = std::make_shared<DeployUpOptions>();
  options->target = "process";
  CLI::App* app = deploy_app.add_subcommand(
      "up", "Start the workers here, bound, and start those again that fail, until it is ended");
  declare_request(*app, *options);
  one_of(app->add_option("--target", options->target, "What to start [process]"), target_names(true));
  not_empty(app->add_option("--user", options->user, "The user who runs the workers (as root)"));
  number_within(app->add_option("--restart-delay", options->up.backoff.first_s,
                                "Seconds before a failed worker starts again; doubles with each failure in a row [1]"),
                0.01, 3600);
  whole_number(app->add_option("--give-up", options->up.backoff.give_up,
                               "Failures in a row after which a worker is not started again; 0: never [10]"),
               0, 1000000);
  number_within(app->add_option("--grace", options->up.grace_s, "Seconds that workers have to end when asked [10]"), 0,
                3600);
  app->add_flag("--leave", options->leave, "Start them and leave them alone: none is started again");
  add_output_options(*app, options->out);
  app->callback([&session, options] { session.action = [&session, options] { return deploy_up(*options, session); }; });
}

void declare_deploy_watch(CLI::App& deploy_app, Session& session, const char* name, const char* summary,
                          int (*run)(const DeployWatchOptions&, Session&), bool grace) {
  auto options = std::make_shared<DeployWatchOptions>();
  options->directory = deploy::Request{}.directory;
  CLI::App* app = deploy_app.add_subcommand(name, summary);
  file_path(app->add_option("--dir", options->directory, "Folder of the deployment [charm-deploy]"));
  if (grace) {
    number_within(app->add_option("--grace", options->grace_s, "Seconds that workers have to end when asked [10]"), 0,
                  3600);
  }
  add_output_options(*app, options->out);
  app->callback(
      [&session, options, run] { session.action = [&session, options, run] { return run(*options, session); }; });
}

void declare_deploy_bench(CLI::App& deploy_app, Session& session) {
  auto options = std::make_shared<DeployBenchOptions>();
  CLI::App* app = deploy_app.add_subcommand(
      "bench",
      "TPC-H on Spark and Trino, deployed here in one policy after the other, or modelled: speed-ups by policy");
  some_of(app->add_option("--engine", options->engines, "Engines to deploy here [spark,trino; with --machine: none]"),
          {"spark", "trino"});
  some_of(app->add_option("--policy", options->policies,
                          "Policies; speed-ups are over the first; wicp-mixed is wicp with --shape mixed "
                          "[wim,win,wicp,wic]"),
          {"wim", "win", "wicp", "wicp-mixed", "wic"});
  std::vector<std::string> queries;
  for (int i = 1; i <= 22; ++i) queries.push_back("q" + std::to_string(i));
  some_of(app->add_option("--query", options->queries, "Queries to run [all]"), queries);
  one_of(app->add_option("--scale", options->scale,
                         "Scale factor; auto: the largest whose tables fit into the memory [0.1]"),
         {"0.01", "0.1", "1", "auto"});
  whole_number(app->add_option("--per-chiplet", options->per_chiplet, "wicp: workers on each chiplet [1]"), 1, 4096);
  whole_number(app->add_option("--trials", options->trials, "Times that each query runs; the median counts [3]"), 1,
               1000);
  whole_number(app->add_option("--port", options->port, "First port; each worker has two [20000]"), 1, 65535);
  number_within(app->add_option("--patience", options->patience_s, "Seconds that an engine has to start [300]"), 1,
                86400);
  not_empty(app->add_option(
      "--cpus", options->cpus,
      "The only cpus to use, as 0-15,32 or kind:performance [all that are allowed but low-power ones]"));
  not_empty(app->add_option("--reserve", options->reserve,
                            "Memory of each node left to the system, as 8G [a tenth, at least 1G]"));
  whole_number(app->add_option("--leave-cores", options->leave_cores,
                               "Cores left to the system, which the engine's coordinator has [0]"),
               0, 65536);
  not_empty(app->add_option("--machine", options->machines,
                            "Model these machines, as 2x7763,2x9654,kunpeng, or files of models or of lstopo"));
  file_path(app->add_option("--recording", options->recording,
                            "Queries to model, as charm bench olap --json prints them [TPC-H, built in]"));
  number_within(app->add_option("--modelled-scale", options->modelled_scale, "Scale factor of modelled data [100]"),
                .01, 100000);
  CLI::Option* report = app->add_option("--report", options->report, "Write charts of the speed-ups as an HTML page");
  file_path(report);
  app->add_option("--page-of", options->page_of)->group("")->needs(report);
  add_output_options(*app, options->out);
  app->callback(
      [&session, options] { session.action = [&session, options] { return deploy_bench(*options, session); }; });
}

void declare_deploy(CLI::App& app, Session& session) {
  declare_deploy_plan(app, session);
  declare_deploy_up(app, session);
  declare_deploy_watch(
      app, session, "status",
      "Which workers run and answer, and how often each was started again; exit code 1 if one does not run, 3 "
      "if all run and one does not answer",
      deploy_status, false);
  declare_deploy_watch(
      app, session, "verify",
      "Check masks of threads, memory policies and pages against the plan; exit code 1 if one is wrong", deploy_verify,
      false);
  declare_deploy_watch(app, session, "down", "End the workers, also after 'up' was killed", deploy_down, true);
  declare_deploy_bench(app, session);
  app.require_subcommand(1);
}

}  // namespace

Command deploy_entry() {
  return {"deploy", "One engine worker per chiplet, node or core: plans, configuration, bound processes",
          "  charm deploy plan --from 'pack:2 l3:8 core:8 pu:2' --policy wicp\n"
          "  charm deploy up --exec 'python3 -m http.server {port}' &\n  charm deploy verify\n  charm deploy down",
          declare_deploy};
}

}  // namespace charm::cli
