#include "tools/cli/bench/workloads/oltp_options.hpp"

#include <fmt/format.h>

#include "tools/cli/options.hpp"
#include "workloads/oltp/names.hpp"

namespace charm::cli {

const WorkloadText& OltpWorkload::text() const {
  static constexpr WorkloadText words = {
      .name = "oltp",
      .summary = "YCSB and TPC-C on a transactional engine",
      .example = "  charm bench oltp --kernel ycsb-paper,tpcc --policy local,distributed --duration 5",
      .title = "CHARM: transactions",
      .places_arrays = false};  // the engine has memory of its own
  return words;
}

std::vector<std::string> OltpWorkload::kernels() const { return workloads::oltp_kernels(); }

std::vector<std::string> OltpWorkload::runtimes() const { return workloads::oltp_runtimes(); }

void OltpWorkload::declare(CLI::App& app, BenchRequest& request) {
  one_of(app.add_option("--engine", asked.engine, "Engine [wiredtiger]"), workloads::oltp_engines());
  file_path(app.add_option("--data", data,
                           "Folder below which databases are made once and kept [in the user's cache folder]"));
  some_of(list_option(app, "--kernel", request.kernels, "Kernels to run [all]"), kernels());
  whole_number(app.add_option("--records", asked.records, "Records of YCSB [1000000]"), 1, std::int64_t{1} << 32);
  whole_number(app.add_option("--key-bytes", asked.key_bytes, "Bytes of a key of YCSB [24]"), 8, 1024);
  whole_number(app.add_option("--value-bytes", asked.value_bytes, "Bytes of a record of YCSB [100]"), 34, 1 << 20);
  one_of(app.add_option("--distribution", asked.distribution, "Which records are asked for, but in ycsb-d [zipfian]"),
         workloads::oltp_distributions());
  whole_number(app.add_option("--warehouses", asked.warehouses, "Warehouses of TPC-C [2]"), 1, 100000);
  one_of(app.add_option("--durability", asked.durability, "Where a commit's log record is when it returns [buffered]"),
         workloads::oltp_durabilities());
  number_within(app.add_option("--duration", asked.duration, "Seconds of a trial [1]"), .01, 86400);
  number_within(app.add_option("--warm-up", asked.warm_up, "Seconds before each trial that do not count [0.25]"), 0,
                86400);
  declare_seed(app, request, "Seed of the transactions [1]");
}

void OltpWorkload::check_plan(const BenchPlan& plan, const Facts& facts) const {
  if (data && data->empty()) refuse("--data: the path is empty", "give a folder or drop the option");
  if (const auto needed = bytes_too_many(*this, plan, facts))
    refuse(fmt::format("--records {} or --warehouses {} {}", asked.records, asked.warehouses,
                       lacking_memory("needs", *needed, facts)),
           "take fewer");
}

}  // namespace charm::cli
