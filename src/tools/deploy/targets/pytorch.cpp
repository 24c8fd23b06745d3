// PyTorch and ONNX Runtime: a program for each worker, by --exec, with what the launchers of PyTorch
// (torch.backends.xeon.run_cpu) set for an instance. ONNX Runtime reads no variables and binds the threads of its
// default session to all processors: its options are in onnxruntime.json, for a program to hand to SessionOptions.
#include "tools/deploy/command.hpp"
#include "tools/deploy/targets/server.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

Variables pytorch_variables(const Worker& worker, const TargetOptions& /*options*/) {
  const std::string cpus = worker.cpus.to_text();
  return {{"OMP_NUM_THREADS", std::to_string(worker.cpus.size())},
          {"KMP_AFFINITY", "granularity=fine,proclist=[" + cpus + "],explicit"},
          {"KMP_BLOCKTIME", "1"},
          {"GOMP_CPU_AFFINITY", cpus}};
}

/// Counted from 1, a list for each thread but the first, which is the caller's.
std::string affinities(const Worker& worker) {
  std::string text;
  for (const int cpu : worker.cpus) {
    if (cpu != worker.cpus.front()) text += (text.empty() ? "" : ";") + std::to_string(cpu + 1);
  }
  return text;
}

std::vector<File> pytorch_files(const Worker& worker, const TargetOptions& /*options*/) {
  return {{"onnxruntime.json", "{\"intra_op_num_threads\": " + std::to_string(worker.cpus.size()) +
                                   ", \"inter_op_num_threads\": 1,\n \"session.intra_op_thread_affinities\": \"" +
                                   affinities(worker) + "\"}\n"}};
}

Words pytorch_arguments(const Worker& worker, const TargetOptions& options) { return command_of(options.exec, worker); }

constexpr Server pytorch{.name = "pytorch",
                         .summary =
                             "a program with PyTorch or ONNX Runtime for each worker, by --exec; 'charm deploy "
                             "up' starts them",
                         .program = "env",
                         .install = "install GNU coreutils",
                         .uses = "exec",
                         .arguments = pytorch_arguments,
                         .variables = pytorch_variables,
                         .files = pytorch_files};

}  // namespace

Target pytorch_target() { return target_of<pytorch>(); }

}  // namespace charm::deploy
