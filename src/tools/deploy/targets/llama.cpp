// llama.cpp's server: one for each worker, with its threads on the worker's cpus. Where the worker's memory is bound
// the model is read into it instead of mapped, so that each node has a copy of its own: mapped pages are in the page
// cache, on the node of whoever read them first.
#include "tools/deploy/command.hpp"
#include "tools/deploy/targets/server.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

/// --cpu-range takes one range, --cpu-mask any cpus: a hexadecimal number, whose lowest bit is cpu 0.
std::string mask_text(const CpuSet& cpus) {
  std::string digits(static_cast<std::size_t>(cpus.back()) / 4 + 1, '0');
  for (const int cpu : cpus) {
    char& digit = digits[digits.size() - 1 - static_cast<std::size_t>(cpu) / 4];
    const int value = (digit <= '9' ? digit - '0' : digit - 'a' + 10) | 1 << cpu % 4;
    digit = "0123456789abcdef"[value];
  }
  return digits;
}

Words llama_arguments(const Worker& worker, const TargetOptions& options) {
  const std::string threads = std::to_string(worker.cpus.size());
  Words all = {"--model",      options.model, "--host",          "127.0.0.1", "--port",     std::to_string(worker.port),
               "--threads",    threads,       "--threads-batch", threads,     "--cpu-mask", mask_text(worker.cpus),
               "--cpu-strict", "1",           "--alias",         worker.name};
  if (worker.memory == Memory::bind) all.emplace_back("--no-mmap");
  return all;
}

constexpr char llama_key[] = "LLAMA_API_KEY";

Variables llama_variables(const Worker& /*worker*/, const TargetOptions& options) {
  return options.secret.empty() ? Variables{} : Variables{{llama_key, options.secret}};
}

os::Question llama_question(const Worker& worker) { return http_question(worker.port, "/health", "\"ok\""); }

constexpr Server llama{
    .name = "llama",
    .summary = "a server of llama.cpp for each worker, by --model; 'charm deploy up' starts them",
    .program = "llama-server",
    .install = "build it from llama.cpp's sources (its target llama-server), and put it on PATH",
    .uses = "model",
    .access =
        "llama-server answers only with its key: 'charm deploy up' writes it to DIR/w0/key; the files of "
        "'charm deploy plan' set none, and every user of the machine may ask",
    .arguments = llama_arguments,
    .variables = llama_variables,
    .question = llama_question,
    .prepare = prepare_key<llama_key>};

}  // namespace

Target llama_target() { return target_of<llama>(); }

}  // namespace charm::deploy
