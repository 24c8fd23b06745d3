#include "cli/bench/oltp.hpp"

#include <charm/error.hpp>

#include <fmt/format.h>

#include "base/format.hpp"

namespace charm::cli {

workloads::OltpOptions oltp_options(const OltpRequest& request, std::uint64_t seed, int workers) {
  if (request.data && request.data->empty())
    throw Error(Errc::bad_config, "--data: the path is empty", "give a folder or drop the option");
  workloads::OltpOptions options;
  options.engine = request.engine.value_or(options.engine);
  options.data = request.data.value_or("");
  options.records = request.records.value_or(options.records);
  options.warehouses = request.warehouses.value_or(options.warehouses);
  options.key_bytes = request.key_bytes.value_or(options.key_bytes);
  options.value_bytes = request.value_bytes.value_or(options.value_bytes);
  options.distribution = request.distribution.value_or(options.distribution);
  options.durability = request.durability.value_or(options.durability);
  options.duration = request.duration.value_or(options.duration);
  options.warm_up = request.warm_up.value_or(options.warm_up);
  options.seed = seed;
  options.workers = workers;
  return options;
}

void check_oltp_memory(const workloads::OltpOptions& options, std::uint64_t needed, std::uint64_t available) {
  if (needed <= available) return;
  throw Error(
      Errc::bad_config,
      fmt::format("--records {} or --warehouses {} needs about {} of memory and {} are available", options.records,
                  options.warehouses, base::format_bytes(needed), base::format_bytes(available)),
      "take fewer");
}

double TransactionFigures::aborts_each() const {
  std::uint64_t all = 0;
  for (const Aborts& each : aborts) all += each.count;
  return commits > 0 ? static_cast<double>(all) / static_cast<double>(commits) : 0;
}

}  // namespace charm::cli
