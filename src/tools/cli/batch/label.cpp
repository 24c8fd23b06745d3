// `charm batch label`: runs the graphs of a file and writes which schedule is the faster.
#include <charm/error.hpp>
#include <charm/runtime.hpp>

#include <fstream>
#include <map>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "os/files/output_file.hpp"
#include "os/machine/load_average.hpp"
#include "tools/cli/batch/commands.hpp"
#include "tools/cli/bench/host.hpp"
#include "topology/discovery.hpp"

namespace charm::cli {
namespace {

/// What has to be known about the machine to judge the times.
base::Json machine_json(int workers) {
  const Host host = describe_host(topology::discover({}), base::Settings());
  base::Json json = {{"name", host.machine},      {"cpus", host.cpus},     {"cores", host.cores},
                     {"chiplets", host.chiplets}, {"kernel", host.kernel}, {"compiler", host.compiler},
                     {"workers", workers}};
  if (const auto load = os::read_load_average()) json["load"] = load->one_minute;
  return json;
}

/// The file as far as it is there; its header is checked. \return the ids of its graphs.
std::set<std::string> begun(const std::string& path, int workers) {
  std::set<std::string> done;
  std::string text;
  if (std::ifstream(path).good()) {
    const std::vector<base::Json> lines = selector_training::read_lines(path, "labels", true);
    int before = 0;
    try {
      before = lines.front().value("machine", base::Json::object()).value("workers", 0);
      for (std::size_t i = 1; i < lines.size(); ++i) done.insert(lines[i].value("id", ""));
    } catch (const base::Json::exception& error) {
      throw Error(Errc::bad_input, path + " holds no labels: " + base::json_problem(error),
                  "give a file that `charm batch label` has written");
    }
    if (before != workers)
      throw Error(Errc::bad_input,
                  fmt::format("{} was labelled with {} workers, and now there are {}", path, before, workers),
                  "give another file, or --workers");
    for (const base::Json& line : lines) text += base::json_text(line) + "\n";
  } else {
    base::Json header = selector_training::file_header("labels");
    header["date"] = describe_host(Machine(), base::Settings()).date;
    header["machine"] = machine_json(workers);
    text = base::json_text(header) + "\n";
  }
  os::write_whole(path, text);  // without a line that was not finished
  return done;
}

}  // namespace

int batch_label(const BatchLabelOptions& options, Session& session) {
  const std::vector<base::Json> lines = selector_training::read_lines(options.graphs, "graphs");
  std::vector<selector_training::GraphPlan> plans;
  for (std::size_t i = 1; i < lines.size(); ++i)
    plans.push_back(selector_training::plan_from(lines[i], options.graphs + ", line " + std::to_string(i + 1)));
  os::check_writable(options.file);

  Config config;
  if (options.workers > 0) config.workers = options.workers;
  init(config);
  struct Ends {
    Ends() = default;
    ~Ends() { finalize(); }
    Ends(const Ends&) = delete;
    Ends& operator=(const Ends&) = delete;
  } const ends;
  std::set<std::string> done = begun(options.file, num_workers());
  std::ofstream out(options.file, std::ios::app);
  Progress progress(session.err, Progress::mode_for_stderr(options.output.quiet));
  progress.step(fmt::format("labelling {} graphs with {} workers, {} of them done before", plans.size(), num_workers(),
                            done.size()));
  const std::int64_t start = base::monotonic_ns();
  std::map<std::string, std::size_t> better;
  std::size_t labelled = 0;
  double lost = 0;
  for (const selector_training::GraphPlan& plan : plans) {
    if (done.contains(plan.id)) continue;
    if (options.seconds > 0 && static_cast<double>(base::monotonic_ns() - start) > options.seconds * 1e9) break;
    progress.detail(plan.id);
    const selector_training::Label label = selector_training::measure(plan, options.label);
    out << base::json_text(selector_training::labelled_json(plan, label)) << '\n' << std::flush;
    if (!out)
      throw Error(Errc::system, options.file + " cannot be written further",
                  "make room on the disk, and call it again");
    done.insert(plan.id);
    ++labelled;
    ++better[std::string(label.better())];
    lost += label.regret(GraphSchedule::stream);
  }
  progress.clear();
  std::size_t left = 0;
  for (const selector_training::GraphPlan& plan : plans) left += done.contains(plan.id) ? 0 : 1;
  const double regret = labelled > 0 ? lost / static_cast<double>(labelled) : 0;
  if (options.output.json) {
    session.out << base::json_text({{"file", options.file},
                                    {"labelled", labelled},
                                    {"left", left},
                                    {"stream", better["stream"]},
                                    {"batch", better["batch"]},
                                    {"both", better["both"]},
                                    {"regret_of_stream", regret}},
                                   2)
                << '\n';
  } else {
    session.out << fmt::format(
        "{} graphs labelled, {} left: stream is the faster in {}, batch in {}, both within {} in {}; always-stream "
        "loses {}\n",
        labelled, left, better["stream"], better["batch"], base::format_percent(selector_training::equal_within),
        better["both"], base::format_percent(regret));
  }
  return exit_done;
}

}  // namespace charm::cli
