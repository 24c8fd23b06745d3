// vLLM on processors: a server for each worker, whose threads are bound by vLLM's own variable, and whose cache of keys
// and values has the share of the worker's memory that the model leaves.
#include <algorithm>

#include "tools/deploy/targets/server.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

Words vllm_arguments(const Worker& worker, const TargetOptions& options) {
  return {"serve", options.model, "--host", "127.0.0.1", "--port", std::to_string(worker.port)};
}

constexpr char vllm_key[] = "VLLM_API_KEY";

Variables vllm_variables(const Worker& worker, const TargetOptions& options) {
  const std::uint64_t gib = worker.memory_bytes >> 30U;
  Variables all = {{"VLLM_CPU_OMP_THREADS_BIND", worker.cpus.to_text()},
                   {"VLLM_CPU_KVCACHE_SPACE", std::to_string(std::max<std::uint64_t>(gib / 4, 1))},
                   {"VLLM_CPU_NUM_OF_RESERVED_CPU", "0"}};
  if (!options.secret.empty()) all.emplace_back(vllm_key, options.secret);
  return all;
}

os::Question vllm_question(const Worker& worker) { return http_question(worker.port, "/health", " 200 "); }

constexpr Server vllm{
    .name = "vllm",
    .summary = "a server of vLLM (its build for processors) for each worker, by --model",
    .program = "vllm",
    .install = "install vLLM for processors (its manual: CPU), and put vllm on PATH",
    .uses = "model",
    .access =
        "vLLM answers only with its key: 'charm deploy up' writes it to DIR/w0/key; the files of 'charm "
        "deploy plan' set none, and every user of the machine may ask",
    .sized = true,
    .arguments = vllm_arguments,
    .variables = vllm_variables,
    .question = vllm_question,
    .prepare = prepare_key<vllm_key>};

}  // namespace

Target vllm_target() { return target_of<vllm>(); }

}  // namespace charm::deploy
