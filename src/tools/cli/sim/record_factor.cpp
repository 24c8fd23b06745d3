#include "tools/cli/sim/record_factor.hpp"

#include <ostream>

#include "tools/sim/task_dag.hpp"
#include "workloads/factor/factor_bench.hpp"

namespace charm::cli {

int print_factor_record(int size, Session& session) {
  constexpr int rounds = 5;
  auto input = workloads::FactorInput::generate({"laplace3d", size, 1});
  sim::TaskDagRecord record{"charm sim record-factor " + std::to_string(size) + ": " + input.describe(), {}};
  // LQ is QR of the transpose, which is the same matrix here.
  for (const char* kernel : {"qr", "lu", "cholesky"}) {
    const workloads::FactorTasks tasks = workloads::record_factor(kernel, input, {}, rounds);
    sim::TaskDag dag{kernel, tasks.gflop, {}};
    for (std::size_t t = 0; t < tasks.ns.size(); ++t)
      dag.tasks.push_back({tasks.ns[t], tasks.bytes[t], tasks.after[t]});
    record.dags.push_back(std::move(dag));
  }
  session.out << sim::task_dags_json(record);
  return exit_done;
}

}  // namespace charm::cli
