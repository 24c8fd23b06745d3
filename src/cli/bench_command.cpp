// `charm bench factor|graph|gups|olap|oltp|sgd|streamcluster`: the options. What they ask for is run by run_bench(),
// which is not the same in every program (bench/bench.hpp).
#include <memory>

#include "cli/bench/bench.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "controller/policy.hpp"
#include "workloads/factor/names.hpp"
#include "workloads/names.hpp"
#include "workloads/olap/names.hpp"
#include "workloads/oltp/names.hpp"

namespace charm::cli {
namespace {

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const auto name : controller::policy_names()) names.emplace_back(name);
  return names;
}

std::vector<std::string> listed(const std::string& text) {
  return text.empty() ? std::vector<std::string>{} : split_list(text);
}

void declare_common(CLI::App& app, BenchOptions& options) {
  const Workload workload = options.request.workload;
  some_of(app.add_option("--runtime", options.runtimes, "Runtimes to compare [all]"),
          workload == Workload::olap            ? workloads::tpch_runtimes()
          : workload == Workload::oltp          ? workloads::oltp_runtimes()
          : workload == Workload::streamcluster ? workloads::streamcluster_runtimes()
                                                : workloads::runtimes());
  some_of(app.add_option("--policy", options.policies,
                         "Policies of CHARM's workers, controllers or placements [the policy setting]"),
          policy_names());
  whole_number(app.add_option("--workers", options.request.workers, "Workers of every runtime [a core each]"), 1,
               65536);
  whole_number(app.add_option("--trials", options.request.trials, "Timed trials of each row [5; graph500: 3]"), 1,
               100000);
  // Databases have memory of their own, and a factorisation's fronts are where the task that opens them is.
  if (workload != Workload::olap && workload != Workload::oltp && workload != Workload::factor) {
    one_of(app.add_option("--memory", options.request.memory,
                          "Where CHARM's arrays lie on several NUMA nodes [partitioned]"),
           workloads::memory_names());
  }
  file_path(app.add_option("--report", options.report, "Write a self-contained HTML page there"));
  add_output_options(app, options.output);
}

void finish(CLI::App& app, const std::shared_ptr<BenchOptions>& options, Session& session) {
  app.callback([&session, options] {
    options->request.kernels = listed(options->kernels);
    options->request.runtimes = listed(options->runtimes);
    options->request.policies = listed(options->policies);
    options->request.factor.binds = listed(options->binds);
    options->request.factor.schedules = listed(options->schedules);
    session.action = [&session, options] { return run_bench(*options, session); };
  });
}

void declare_factor(CLI::App& bench_app, Session& session) {
  auto options = std::make_shared<BenchOptions>();
  options->request.workload = Workload::factor;
  FactorRequest& factor = options->request.factor;
  CLI::App* app = bench_app.add_subcommand("factor", "Cholesky, LU, QR and LQ of sparse and full matrices, GEMM");
  one_of(app->add_option("--matrix", factor.matrix, "Generate a matrix of this kind [laplace2d]"),
         workloads::factor_matrices());
  whole_number(app->add_option("--size", factor.size, "Columns of a generated matrix [40000; dense: 1500]"), 1,
               INT32_MAX);
  file_path(app->add_option("--file", options->request.file, "Load a Matrix Market file, also gzipped"));
  whole_number(app->add_option("--seed", options->request.seed, "Seed of the matrix [1]"), 0, INT64_MAX);
  some_of(app->add_option("--kernel", options->kernels, "Kernels to run [all that fit the matrix]"),
          workloads::factor_kernels());
  whole_number(app->add_option("--tile", factor.tile, "Columns of a tile [128]"), 8, 4096);
  number_within(app->add_option("--grain", factor.grain, "Operations below which a subtree is one task [5e5]"), 0,
                1e18);
  some_of(app->add_option("--bind", options->binds, "What CHARM's workers are bound to [the bind setting]"),
          {"core", "chiplet", "node", "none"});
  app->add_option("--schedule", options->schedules,
                  "How CHARM runs the graph: stream, batch, tree:FILE or logistic:FILE, separated by commas [stream]");
  declare_common(*app, *options);
  app->footer(
      "Example:\n  charm bench factor --matrix laplace3d --size 27000 --kernel cholesky\n"
      "  charm bench factor --matrix dense --size 1600 --kernel gemm --bind core,chiplet,none");
  finish(*app, options, session);
}

void declare_graph(CLI::App& bench_app, Session& session) {
  auto options = std::make_shared<BenchOptions>();
  options->request.workload = Workload::graph;
  CLI::App* app = bench_app.add_subcommand("graph", "Graph kernels on a generated or loaded graph");
  whole_number(app->add_option("--scale", options->request.scale, "Generate a Kronecker graph of 2^N vertices [18]"), 1,
               30);
  file_path(app->add_option("--file", options->request.file, "Load an edge list or Matrix Market file, also gzipped"));
  app->add_flag("--undirected", options->request.undirected, "Read the file's edges in both directions");
  whole_number(app->add_option("--seed", options->request.seed, "Seed of graph and weights [1]"), 0, INT64_MAX);
  some_of(app->add_option("--kernel", options->kernels, "Kernels to run [all]"), workloads::graph_kernels());
  declare_common(*app, *options);
  app->footer("Example:\n  charm bench graph --scale 18 --kernel bfs,pr --policy local,distributed --report out.html");
  finish(*app, options, session);
}

void declare_gups(CLI::App& bench_app, Session& session) {
  auto options = std::make_shared<BenchOptions>();
  options->request.workload = Workload::gups;
  CLI::App* app = bench_app.add_subcommand("gups", "Random updates of a table (HPCC RandomAccess)");
  whole_number(app->add_option("--scale", options->request.scale, "A table of 2^N words of 8 bytes [25]"), 3, 40);
  declare_common(*app, *options);
  app->footer("Example:\n  charm bench gups --scale 27 --runtime charm,openmp --json");
  finish(*app, options, session);
}

void declare_olap(CLI::App& bench_app, Session& session) {
  auto options = std::make_shared<BenchOptions>();
  options->request.workload = Workload::olap;
  OlapRequest& olap = options->request.olap;
  CLI::App* app = bench_app.add_subcommand("olap", "TPC-H on DuckDB, by CHARM's workers and by its own threads");
  number_within(app->add_option("--scale", olap.scale, "Scale factor; 1 is about 1 GB of text [0.1]"), .001, 10000);
  file_path(app->add_option("--database", olap.database,
                            "DuckDB's file with the tables, generated if there is none [in the user's cache folder]"));
  file_path(app->add_option("--engine", olap.engine,
                            "Folder of libduckdb.so and its TPC-H extension [what scripts/setup engines installed]"));
  some_of(app->add_option("--query,--kernel", options->kernels, "Queries to run [all]"), workloads::tpch_queries());
  declare_common(*app, *options);
  app->footer("Example:\n  charm bench olap --scale 1 --query q1,q9,q18 --policy local,distributed --report out.html");
  finish(*app, options, session);
}

void declare_oltp(CLI::App& bench_app, Session& session) {
  auto options = std::make_shared<BenchOptions>();
  options->request.workload = Workload::oltp;
  OltpRequest& oltp = options->request.oltp;
  CLI::App* app = bench_app.add_subcommand("oltp", "YCSB and TPC-C on a transactional engine");
  one_of(app->add_option("--engine", oltp.engine, "Engine [wiredtiger]"), workloads::oltp_engines());
  file_path(app->add_option("--data", oltp.data,
                            "Folder below which databases are made once and kept [in the user's cache folder]"));
  some_of(app->add_option("--kernel", options->kernels, "Kernels to run [all]"), workloads::oltp_kernels());
  whole_number(app->add_option("--records", oltp.records, "Records of YCSB [1000000]"), 1, std::int64_t{1} << 32);
  whole_number(app->add_option("--key-bytes", oltp.key_bytes, "Bytes of a key of YCSB [24]"), 8, 1024);
  whole_number(app->add_option("--value-bytes", oltp.value_bytes, "Bytes of a record of YCSB [100]"), 34, 1 << 20);
  one_of(app->add_option("--distribution", oltp.distribution, "Which records are asked for, but in ycsb-d [zipfian]"),
         workloads::oltp_distributions());
  whole_number(app->add_option("--warehouses", oltp.warehouses, "Warehouses of TPC-C [2]"), 1, 100000);
  one_of(app->add_option("--durability", oltp.durability, "Where a commit's log record is when it returns [buffered]"),
         workloads::oltp_durabilities());
  number_within(app->add_option("--duration", oltp.duration, "Seconds of a trial [1]"), .01, 86400);
  number_within(app->add_option("--warm-up", oltp.warm_up, "Seconds before each trial that do not count [0.25]"), 0,
                86400);
  whole_number(app->add_option("--seed", options->request.seed, "Seed of the transactions [1]"), 0, INT64_MAX);
  declare_common(*app, *options);
  app->footer("Example:\n  charm bench oltp --kernel ycsb-paper,tpcc --policy local,distributed --duration 5");
  finish(*app, options, session);
}

void declare_sgd(CLI::App& bench_app, Session& session) {
  auto options = std::make_shared<BenchOptions>();
  options->request.workload = Workload::sgd;
  SgdRequest& sgd = options->request.sgd;
  CLI::App* app = bench_app.add_subcommand("sgd", "Logistic regression by stochastic gradient descent");
  whole_number(app->add_option("--rows", sgd.rows, "Generate so many samples [10000]"), 2, INT32_MAX);
  whole_number(app->add_option("--features", sgd.features, "Features of a generated sample [8192]"), 1, INT32_MAX);
  number_within(app->add_option("--density", sgd.density,
                                "Share of the features that each sample has; below 1 they are sparse [1]"),
                1e-9, 1);
  file_path(app->add_option("--file", options->request.file, "Load samples in the format of LIBSVM, also gzipped"));
  whole_number(app->add_option("--seed", options->request.seed, "Seed of the samples, or of a file's order [1]"), 0,
               INT64_MAX);
  some_of(app->add_option("--kernel", options->kernels, "Passes and replications to run [all]"),
          workloads::sgd_kernels());
  one_of(app->add_option("--update", sgd.update, "How workers change a replica that they share [hogwild]"),
         workloads::sgd_updates());
  whole_number(app->add_option("--epochs", sgd.epochs, "Epochs after which a descent has failed [500]"), 1, 1000000);
  number_within(
      app->add_option("--target", sgd.target, "Share of the removable loss that is left when a descent ends [0.05]"),
      1e-4, .99);
  declare_common(*app, *options);
  app->footer("Example:\n  charm bench sgd --rows 20000 --features 1000 --kernel sgd-core,sgd-chiplet --json");
  finish(*app, options, session);
}

void declare_streamcluster(CLI::App& bench_app, Session& session) {
  auto options = std::make_shared<BenchOptions>();
  options->request.workload = Workload::streamcluster;
  StreamclusterRequest& asked = options->request.streamcluster;
  CLI::App* app =
      bench_app.add_subcommand("streamcluster", "Clustering of a stream of points, chunk by chunk (PARSEC)");
  constexpr std::int64_t most_points = std::int64_t{1} << 40;
  whole_number(app->add_option("--points", asked.points, "Generate so many points [16384]"), 1, most_points);
  whole_number(app->add_option("--dimensions", asked.dimensions, "Coordinates of a point [128]"), 1, 1 << 24);
  whole_number(app->add_option("--chunk", asked.chunk, "Points that are clustered at a time [16384]"), 1, INT32_MAX);
  whole_number(app->add_option("--least", asked.least, "Least number of centres [10]"), 1, INT32_MAX);
  whole_number(app->add_option("--most", asked.most, "Largest number of centres [20, or twice the least]"), 1,
               INT32_MAX);
  whole_number(app->add_option("--intermediate", asked.intermediate, "Centres of all chunks that are kept [1000]"), 1,
               INT32_MAX);
  file_path(app->add_option("--file", options->request.file,
                            "Load points: rows of 32-bit floating-point numbers, as PARSEC writes them"));
  whole_number(app->add_option("--seed", options->request.seed, "Seed of points and random decisions [1]"), 0,
               INT64_MAX);
  declare_common(*app, *options);
  app->footer("Example:\n  charm bench streamcluster --points 200000 --chunk 50000 --runtime charm,openmp,threads");
  finish(*app, options, session);
}

void declare_bench(CLI::App& app, Session& session) {
  declare_factor(app, session);
  declare_graph(app, session);
  declare_gups(app, session);
  declare_olap(app, session);
  declare_oltp(app, session);
  declare_sgd(app, session);
  declare_streamcluster(app, session);
  app.require_subcommand(1);
}

}  // namespace

Command bench_entry() {
  return {"bench", "Run verified benchmarks on CHARM and its peers",
          "  charm bench graph --scale 18 --report out.html\n  charm bench gups --scale 27\n  charm bench sgd --rows "
          "20000\n"
          "  charm bench factor --matrix laplace3d",
          declare_bench};
}

}  // namespace charm::cli
