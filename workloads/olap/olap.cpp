#include "workloads/olap/olap.hpp"

#include <charm/duckdb.hpp>
#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "duckdb/statements.hpp"
#include "duckdb/values.hpp"
#include "workloads/olap/answers.hpp"
#include "workloads/olap/engine.hpp"
#include "workloads/olap/own_files.hpp"
#include "workloads/olap/suite.hpp"
#include "workloads/trial.hpp"

namespace charm::workloads {
namespace {

namespace fs = std::filesystem;
namespace db = charm::duckdb;

struct Setting {
  const char* name;
  std::string value;
};

/// An open database with one connection.
class Instance {
 public:
  Instance(const db::Library& library, const DuckdbFiles& files, const std::string& path, std::string_view extension,
           const std::vector<Setting>& settings)
      : library_(library) {
    const db::Functions& duckdb = library_.functions();
    db::Settings config = nullptr;
    duckdb.create_config(&config);
    for (const Setting& each : settings) duckdb.set_config(config, each.name, each.value.c_str());
    char* why = nullptr;
    const db::State state = duckdb.open_ext(path.c_str(), &database_, config, &why);
    duckdb.destroy_config(&config);
    if (state != 0) {
      const std::string reason = db::one_line(why);
      duckdb.free(why);
      std::error_code ignored;
      throw Error(Errc::bad_input, fmt::format("DuckDB cannot open '{}': {}", path, reason),
                  fs::exists(path, ignored)
                      ? "remove the file, which is then generated anew, or give another --database"
                      : "give a --database that can be written");
    }
    try {
      if (duckdb.connect(database_, &connection_) != 0)
        throw Error(Errc::bad_input, fmt::format("DuckDB gives no connection to '{}'", path), "");
      load_extension(files, extension);
    } catch (...) {
      close();
      throw;
    }
  }
  ~Instance() { close(); }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  std::string ask(const std::string& sql) { return db::ask(library_.functions(), connection_, sql); }
  [[nodiscard]] db::Database database() const { return database_; }
  [[nodiscard]] db::Connection connection() const { return connection_; }

 private:
  void close() {
    if (connection_ != nullptr) library_.functions().disconnect(&connection_);
    library_.functions().close(&database_);
  }

  void load_extension(const DuckdbFiles& files, std::string_view extension) {
    try {
      ask(files.folder.empty() ? fmt::format("LOAD {}", extension)
                               : fmt::format("LOAD '{}/{}.duckdb_extension'", files.folder, extension));
    } catch (const Error& error) {
      throw Error(Errc::bad_input,
                  fmt::format("{} does not load its extension {}: {}", library_.version(), extension, error.what()),
                  "run 'scripts/setup engines', whose extensions are made for the library beside them");
    }
  }

  const db::Library library_;
  db::Database database_ = nullptr;
  db::Connection connection_ = nullptr;
};

AnswerRows answer_of(const db::Functions& duckdb, db::Result& result) {
  AnswerRows rows;
  for (const db::Row& row : db::rows_of(duckdb, result)) {
    AnswerRow& texts = rows.emplace_back();
    for (const auto& value : row) texts.push_back(value.value_or("NULL"));
  }
  return rows;
}

/// A generated database is refused before hours have passed where its disk cannot hold it. TPC-DS and JCC-H take more.
void need_room(const fs::path& folder, const Suite& suite, double scale) {
  constexpr double bytes_at_scale_1 = 265e6;
  std::error_code error;
  const fs::space_info space = fs::space(folder.empty() ? "." : folder, error);
  if (error || static_cast<double>(space.available) > scale * bytes_at_scale_1) return;
  throw Error(Errc::bad_input,
              fmt::format("{} of scale factor {:g} takes {:.0f} GB or more, and the disk of '{}' has {:.1f} GB",
                          suite.title, scale, scale * bytes_at_scale_1 / 1e9, folder.empty() ? "." : folder.string(),
                          static_cast<double>(space.available) / 1e9),
              "give a smaller --scale, or --database FILE on a larger disk");
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

/// Fills the suite's empty tables from the files of a folder.
void load_tables(Instance& instance, const Suite& suite, const std::string& folder) {
  instance.ask(fmt::format("CALL {}(sf = 0)", suite.generator));
  for (const std::string& table : words_of(instance.ask(std::string(suite.tables)))) {
    for (const std::string& file : files_of_table(folder, table)) {
      try {
        // Generators write no quotes, and end each line with a separator.
        instance.ask(
            fmt::format("COPY \"{}\" FROM {} (DELIMITER '|', HEADER false, QUOTE '', ESCAPE '')", table, quoted(file)));
      } catch (const Error& error) {
        throw Error(Errc::bad_input, fmt::format("'{}' does not fit the table {}: {}", file, table, error.what()),
                    fmt::format("give the files of a generator of {}", suite.title));
      }
    }
  }
}

/// Makes the database's file, which gets its name when it is whole.
/// \param tables the folder of their files; empty: they are generated.
void make_database(const db::Library& library, const DuckdbFiles& files, const std::string& path, const Suite& suite,
                   double scale, const std::string& tables) {
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) {
    throw Error(Errc::bad_input, fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()),
                "give a --database that can be written");
  }
  if (tables.empty()) need_room(folder, suite, scale);
  const std::string unfinished = fmt::format("{}.{}", path, getpid());
  const auto remove = [&] {
    fs::remove(unfinished, error);
    fs::remove(unfinished + ".wal", error);
  };
  try {
    Instance instance(library, files, unfinished, suite.extension, {});
    if (tables.empty()) {
      for (const std::string& statement : suite.generate(scale)) instance.ask(statement);
    } else {
      load_tables(instance, suite, tables);
    }
    instance.ask("CHECKPOINT");
  } catch (...) {
    remove();
    throw;
  }
  fs::rename(unfinished, path, error);
  if (error) {
    remove();
    throw Error(Errc::bad_input, fmt::format("cannot write '{}': {}", path, error.message()),
                "give a --database that can be written");
  }
}

/// How evenly the workers were busy: the time of the busiest over the mean, 1 where all had the same.
double imbalance(const db::Statistics& statistics) {
  std::uint64_t most = 0;
  std::uint64_t sum = 0;
  for (const db::WorkerTasks& worker : statistics.workers) {
    most = std::max(most, worker.busy_ns);
    sum += worker.busy_ns;
  }
  return sum > 0 ? static_cast<double>(most) * static_cast<double>(statistics.workers.size()) / static_cast<double>(sum)
                 : 1;
}

}  // namespace

constexpr double usual_scale = .1;

struct Olap::Data {
  OlapOptions options;
  const Suite& suite;
  DuckdbFiles files;
  db::Library library;
  std::string path;
  double scale = 0;  // of the tables
  std::uint64_t rows = 0;
  bool published = false;
  std::map<std::string, std::unique_ptr<Instance>> instances = {};  // by runtime
  std::vector<double> imbalances = {};
  std::optional<double> hottest = {};
  std::map<std::string, AnswerRows> answers = {};  // by query

  Instance& instance(const std::string& runtime) {
    auto& there = instances[runtime];
    if (there == nullptr) {
      const std::vector<Setting> settings = {{"access_mode", "READ_ONLY"},
                                             {"threads", std::to_string(options.workers)},
                                             {"pin_threads", runtime == "duckdb-pinned" ? "on" : "off"}};
      there = std::make_unique<Instance>(library, files, path, suite.extension, settings);
    }
    return *there;
  }

  [[nodiscard]] int number(const std::string& query) const {
    for (int i = 1; i <= suite.queries; ++i) {
      if (query == fmt::format("q{}", i)) return i;
    }
    throw Error(Errc::bad_config, fmt::format("query '{}' is unknown", query),
                fmt::format("choose among q1 to q{}", suite.queries));
  }

  std::string text(const std::string& query) {
    if (!options.queries.empty()) return statement(query);
    return instance("duckdb").ask(
        fmt::format("SELECT query FROM {}_queries() WHERE query_nr = {}", suite.extension, number(query)));
  }

  /// The user's own.
  std::string statement(const std::string& query) {
    std::string sql = own_query(options.queries, query);
    const db::Functions& duckdb = library.functions();
    db::OwnedStatements statements(duckdb);
    const auto count = duckdb.extract_statements(instance("duckdb").connection(), sql.c_str(), statements.out());
    if (count == 1) return sql;
    const char* why = statements.get() == nullptr ? nullptr : duckdb.extract_statements_error(statements.get());
    if (count == 0) {
      throw Error(Errc::bad_input, fmt::format("query '{}': {}", query, db::one_line(why == nullptr ? "no SQL" : why)),
                  "correct the statement");
    }
    throw Error(Errc::bad_input, fmt::format("query '{}': the file has {} statements", query, count),
                "write it as one, with WITH in place of views");
  }

  AnswerRows published_answer(const std::string& query) {
    return workloads::rows_of(
        instance("duckdb").ask(fmt::format("SELECT answer FROM {}_answers() WHERE scale_factor = {} AND query_nr = {}",
                                           suite.extension, scale, number(query))));
  }

  /// The answer of DuckDB's own threads.
  AnswerRows computed_answer(const std::string& query, const std::string& sql) {
    const db::Functions& duckdb = library.functions();
    db::OwnedResult result(duckdb);
    if (duckdb.query(instance("duckdb").connection(), sql.c_str(), result.out()) != 0) {
      const Error failure = db::failure(duckdb.result_error(result.get()));
      throw Error(failure.code(), fmt::format("query '{}': {}", query, failure.what()), failure.remedy());
    }
    return answer_of(duckdb, *result.get());
  }

  bool published_fit(const std::string& query) {
    return difference(computed_answer(query, text(query)), published_answer(query)).empty();
  }

  const AnswerRows& answer(const std::string& query, const std::string& sql) {
    const auto found = answers.find(query);
    if (found != answers.end()) return found->second;
    return answers.emplace(query, published ? published_answer(query) : computed_answer(query, sql)).first->second;
  }
};

Olap::Olap(std::unique_ptr<Data> data) : data_(std::move(data)) {}
Olap::Olap(Olap&&) noexcept = default;
Olap& Olap::operator=(Olap&&) noexcept = default;
Olap::~Olap() = default;

Olap Olap::open(const OlapOptions& options, const std::function<void(const std::string&)>& progress) {
  const Suite& suite = olap_suite(options.suite);
  const DuckdbFiles files = find_duckdb(options.engine);
  const db::Library library = db::Library::load(files.library);
  const bool own = options.database.empty();
  const double asked = options.scale.value_or(usual_scale);
  const bool loads = !options.tables.empty();
  const std::string data_name =
      loads ? fmt::format("{:016x}", fingerprint_of(options.tables)) : fmt::format("{:g}", asked);
  const std::string path =
      own ? fmt::format("{}/{}-{}-{}.duckdb", olap_cache(), suite.name, data_name, library.version())
          : options.database;
  std::error_code error;
  if (!fs::exists(path, error)) {
    if (progress) {
      progress(loads ? fmt::format("loading the tables in {} into {}", options.tables, path)
                     : fmt::format("generating {} of scale factor {:g} in {}", suite.title, asked, path));
    }
    make_database(library, files, path, suite, asked, options.tables);
  } else if (loads && !own) {
    throw Error(Errc::bad_input, fmt::format("the database '{}' exists", path),
                "drop --tables to use it as it is, or name another --database");
  }
  auto data = std::unique_ptr<Data>(new Data{options, suite, files, library, path});
  Instance& instance = data->instance("duckdb");
  const std::string tables = instance.ask(std::string(suite.tables));
  try {
    data->scale = std::stod(instance.ask(std::string(suite.scale)));
  } catch (const Error&) {
    throw Error(Errc::bad_input, fmt::format("'{}' has no tables of {}: {}", path, suite.title, tables),
                "give another --database, or the --suite that it is of");
  }
  // That of TPC-DS is an estimate.
  if (options.scale && std::fabs(data->scale / asked - 1) > .2)
    throw Error(Errc::bad_input, fmt::format("'{}' is of scale factor {:.3g}, not {:g}", path, data->scale, asked),
                "drop --scale, or give the --database of that scale factor");
  for (const std::string& table : words_of(tables))
    data->rows += std::stoull(instance.ask(fmt::format("SELECT count(*) FROM \"{}\"", table)));
  data->published = suite.published && !loads && options.queries.empty() &&
                    instance.ask(fmt::format("SELECT count(*) FROM {}_answers() WHERE scale_factor "
                                             "= {}",
                                             suite.extension, data->scale)) == std::to_string(suite.queries);
  // The answers are those to the data of the same extension; other generators draw other addresses, which q15 shows.
  if (!own && data->published) data->published = data->published_fit("q15");
  return Olap(std::move(data));
}

std::string Olap::describe() const {
  const auto own = [](const char* what, const std::string& folder) {
    return folder.empty() ? "" : fmt::format(", {} of '{}'", what, folder);
  };
  return fmt::format("{}, scale factor {:g}, DuckDB {}: {} rows{}{}; checked against {}", data_->suite.title,
                     data_->scale, data_->library.version(), data_->rows, own("tables", data_->options.tables),
                     own("queries", data_->options.queries),
                     data_->published ? "the published answers" : "the answers of DuckDB's own threads");
}

/// The query runs twice and the second time counts, because attaching makes DuckDB give its free memory back to the
/// kernel, which a program does once and a trial would pay each time.
KernelRun Olap::run(const std::string& query, const Runner& runner) {
  const db::Functions& duckdb = data_->library.functions();
  const std::string sql = data_->text(query);
  const AnswerRows& right = data_->answer(query, sql);
  Instance& instance = data_->instance(runner.runtime);
  KernelRun done{query, runner.runtime, "queries/s", {}, {}, true, {}};
  Trial trial;
  db::OwnedResult result(duckdb);
  if (runner.runtime == "charm") {
    db::Options options;
    options.workers = runner.workers;
    db::Attachment attachment = db::attach(instance.database(), options, data_->library);
    attachment.query(instance.connection(), sql, nullptr, {.name = query});
    db::Result taken{};
    trial.seconds = seconds_of([&] { attachment.query(instance.connection(), sql, &taken, {.name = query}); });
    *result.out() = taken;
    data_->imbalances.push_back(imbalance(attachment.statistics()));
    trial.detail =
        fmt::format("{} rows; the busiest worker {:.2f} times the mean", right.size(), data_->imbalances.back());
  } else {
    db::State state = 0;
    duckdb.query(instance.connection(), sql.c_str(), db::OwnedResult(duckdb).out());  // an error comes again
    trial.seconds = seconds_of([&] { state = duckdb.query(instance.connection(), sql.c_str(), result.out()); });
    if (state != 0) throw db::failure(duckdb.result_error(result.get()));
  }
  trial.work = 1;
  trial.wrong = difference(answer_of(duckdb, *result.get()), right);
  if (trial.detail.empty()) trial.detail = fmt::format("{} rows", right.size());
  add(done, trial);
  return done;
}

OlapDemand Olap::demand(const std::string& query) {
  const db::Functions& duckdb = data_->library.functions();
  const std::string sql = "EXPLAIN (ANALYZE, FORMAT json) " + data_->text(query);
  db::OwnedResult result(duckdb);
  if (duckdb.query(data_->instance("duckdb").connection(), sql.c_str(), result.out()) != 0) return {};
  const std::vector<db::Row> rows = db::rows_of(duckdb, *result.get());
  return rows.empty() || rows.front().size() < 2 ? OlapDemand{} : demand_of(rows.front()[1].value_or(""));
}

double Olap::scale() const { return data_->scale; }

double Olap::hottest_key() {
  if (data_->suite.hottest.empty()) return 0;
  std::optional<double>& known = data_->hottest;
  if (!known) known = std::stod(data_->instance("duckdb").ask(std::string(data_->suite.hottest)));
  return *known;
}

std::vector<double> Olap::take_imbalances() { return std::exchange(data_->imbalances, {}); }

}  // namespace charm::workloads
