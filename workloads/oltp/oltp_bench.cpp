// Timed and verified trials of transactions.
#include "workloads/oltp/oltp_bench.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "workloads/oltp/clients.hpp"
#include "workloads/oltp/data_folder.hpp"
#include "workloads/oltp/suite.hpp"
#include "workloads/trial.hpp"

namespace charm::workloads {
namespace {

using namespace oltp;

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

bool is_tpcc(const std::string& kernel) { return kernel == "tpcc"; }

template <class Names>
std::size_t position(const char* option, const Names& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw Error(Errc::bad_config, fmt::format("{}: '{}' is unknown", option, name), "");
  return static_cast<std::size_t>(found - names.begin());
}

SuiteOptions suite_options(const OltpOptions& options) {
  SuiteOptions suite;
  suite.ycsb = {static_cast<std::uint64_t>(options.records), static_cast<std::size_t>(options.key_bytes),
                static_cast<std::size_t>(options.value_bytes)};
  suite.warehouses = static_cast<int>(options.warehouses);
  suite.distribution =
      static_cast<Distribution>(position("--distribution", oltp_distribution_names, options.distribution));
  suite.sessions = options.workers;
  return suite;
}

std::string aborts_text(const ClientCounts& counts) {
  std::uint64_t all = 0;
  std::string by_reason;
  for (std::size_t i = 0; i < reasons; ++i) {
    all += counts.aborts[i];
    if (counts.aborts[i] > 0)
      by_reason += fmt::format("{}{} {}", by_reason.empty() ? "" : ", ", counts.aborts[i], reason_names[i]);
  }
  std::string text = all == 0 ? "no aborts" : fmt::format("{} aborts ({})", all, by_reason);
  if (counts.rolled_back > 0) text += fmt::format(", {} rolled back on purpose", counts.rolled_back);
  if (counts.given_up > 0) text += fmt::format(", {} given up after {} attempts", counts.given_up, most_attempts);
  return text;
}

std::string latency_text(const Histogram& latency) {
  std::string text;
  for (const double percent : latency_percentiles)
    text += fmt::format("{}p{:g} {:.1f}", text.empty() ? "" : ", ", percent,
                        static_cast<double>(latency.percentile(percent)) / 1e3);
  return text + " us";
}

}  // namespace

void merge(OltpRun& all, const OltpRun& more) {
  all.latency.add(more.latency);
  for (std::size_t i = 0; i < all.aborts.size(); ++i) all.aborts[i] += more.aborts[i];
  all.rolled_back += more.rolled_back;
  all.given_up += more.given_up;
}

struct Oltp::Data {
  OltpOptions options;
  std::string root;
  std::string ycsb_folder = {};  // of the databases that copies are made of
  std::string tpcc_folder = {};

  // The database that is open. The order matters: the engine is closed before its folder is removed.
  std::string opened = {};
  WorkingCopy copy = {};
  std::unique_ptr<Engine> engine = {};
  std::unique_ptr<Suite> suite = {};
  std::uint64_t trials = 0;

  std::string prepare(bool tpcc, const std::function<void(const std::string&)>& progress) {
    const auto maker = make_suite(tpcc, suite_options(options));
    const std::string manifest =
        fmt::format("charm oltp 1\n{}\n{}\n", engine_version(options.engine), maker->describe());
    return prepared_database(root, fmt::format("{}-{}", options.engine, maker->folder_name()), manifest,
                             [&](const std::string& folder) {
                               if (progress) progress(fmt::format("loading {} in {}", maker->describe(), folder));
                               EngineOptions making = engine_options(tpcc, folder);
                               making.create = true;
                               making.durability = Durability::none;
                               making.tables = maker->tables();
                               const auto made = open_engine(options.engine, making);
                               maker->load(*made);
                               made->checkpoint();
                             });
  }

  [[nodiscard]] EngineOptions engine_options(bool tpcc, const std::string& folder) const {
    EngineOptions made;
    made.folder = folder;
    made.sessions = options.workers;
    made.cache_bytes = oltp_bytes(options, {tpcc ? "tpcc" : "ycsb-a"});
    made.durability = static_cast<Durability>(position("--durability", oltp_durability_names, options.durability));
    return made;
  }

  /// Opens a copy of the database that the kernel needs, if it is not open.
  void reach(const std::string& kernel) {
    const bool tpcc = is_tpcc(kernel);
    const std::string& folder = tpcc ? tpcc_folder : ycsb_folder;
    if (opened == folder) return;
    opened.clear();
    suite.reset();
    engine.reset();
    copy = WorkingCopy();
    copy = copy_database(root, folder);
    auto next = make_suite(tpcc, suite_options(options));
    EngineOptions opening = engine_options(tpcc, copy.database());
    opening.tables = next->tables();
    engine = open_engine(options.engine, opening);
    next->start(*engine);
    suite = std::move(next);
    opened = folder;
  }
};

Oltp::Oltp(std::unique_ptr<Data> data) : data_(std::move(data)) {}
Oltp::Oltp(Oltp&&) noexcept = default;
Oltp& Oltp::operator=(Oltp&&) noexcept = default;
Oltp::~Oltp() {
  if (data_ == nullptr) return;
  data_->suite.reset();
  data_->engine.reset();
}

Oltp Oltp::open(const OltpOptions& options, const std::vector<std::string>& kernels,
                const std::function<void(const std::string&)>& progress) {
  require_engine(options.engine);
  auto data = std::unique_ptr<Data>(new Data{options, data_root(options.data)});
  for (const std::string& kernel : kernels) {
    std::string& folder = is_tpcc(kernel) ? data->tpcc_folder : data->ycsb_folder;
    if (folder.empty()) folder = data->prepare(is_tpcc(kernel), progress);
  }
  return Oltp(std::move(data));
}

std::string Oltp::describe() const {
  const OltpOptions& options = data_->options;
  std::string text = fmt::format("{}, log {}", engine_version(options.engine), options.durability);
  if (!data_->ycsb_folder.empty())
    text += fmt::format("; {}, {}", make_suite(false, suite_options(options))->describe(), options.distribution);
  if (!data_->tpcc_folder.empty()) text += "; " + make_suite(true, suite_options(options))->describe();
  return text;
}

OltpRun Oltp::run(const std::string& kernel, const Runner& runner) {
  Data& data = *data_;
  data.reach(kernel);
  const auto transactions = data.suite->begin(kernel, random_at(data.options.seed, ++data.trials));
  const ClientCounts counts = run_clients(
      *data.engine, *transactions, {runner.runtime, data.options.workers, data.options.warm_up, data.options.duration});
  OltpRun done{{kernel, runner.runtime, "ktx/s", {}, {}, true, {}},
               counts.latency,
               counts.aborts,
               counts.rolled_back,
               counts.given_up};
  Trial trial;
  trial.seconds = counts.seconds;
  trial.work = static_cast<double>(counts.commits);
  trial.wrong = data.suite->complaint(*data.engine);
  if (counts.commits == 0 && trial.wrong.empty()) trial.wrong = "no transaction was committed in the measured time";
  trial.detail = fmt::format("{}; {}", latency_text(counts.latency), aborts_text(counts));
  const std::string own = data.suite->detail();
  if (!own.empty()) trial.detail += "; " + own;
  add(done.run, trial);
  return done;
}

std::uint64_t oltp_bytes(const OltpOptions& options, const std::vector<std::string>& kernels) {
  std::uint64_t most = 0;
  for (const std::string& kernel : kernels)
    most = std::max(most, make_suite(is_tpcc(kernel), suite_options(options))->bytes());
  return most + 256 * mebibyte;
}

}  // namespace charm::workloads
