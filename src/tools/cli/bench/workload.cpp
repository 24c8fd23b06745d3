#include "tools/cli/bench/workload.hpp"

#include <charm/error.hpp>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/cli/options.hpp"
#include "workloads/names.hpp"

namespace charm::cli {

std::vector<std::string> Workload::runtimes() const { return workloads::runtimes(); }

CLI::Option* list_option(CLI::App& app, const char* names, std::vector<std::string>& to, const char* help) {
  return app.add_option_function<std::string>(
      names, [&to](const std::string& text) { to = text.empty() ? std::vector<std::string>{} : split_list(text); },
      help);
}

void declare_file(CLI::App& app, BenchRequest& request, const char* help) {
  file_path(app.add_option("--file", request.file, help));
  mebibytes_within(app.add_option("--file-memory", request.file_memory,
                                  "Memory that reading --file may take, as 8G [64 MiB and 64 times its size]"),
                   1, 1e9);
}

void declare_seed(CLI::App& app, BenchRequest& request, const char* help) {
  whole_number(app.add_option("--seed", request.seed, help), 0, INT64_MAX);
}

void refuse(const std::string& problem, const std::string& remedy) { throw Error(Errc::bad_config, problem, remedy); }

void check_file_option(const Workload& workload, const BenchRequest& request,
                       std::initializer_list<GeneratorOption> options, const char* remedy) {
  if (request.file_memory && !request.file)
    refuse("--file-memory says how to read a file, and there is none", "add --file or drop --file-memory");
  if (!request.file) return;
  for (const GeneratorOption& option : options)
    if (option.given) refuse(fmt::format("{} and --file contradict each other", option.name), remedy);
  if (request.file->empty())
    refuse("--file: the path is empty", fmt::format("give the path of a {} file", workload.text().file));
}

std::optional<std::uint64_t> bytes_too_many(const Workload& workload, const BenchPlan& plan, const Facts& facts) {
  if (!plan.file.empty() || !facts.needed_bytes || !facts.available_bytes) return {};
  const std::uint64_t needed = facts.needed_bytes(workload, plan);
  if (needed <= *facts.available_bytes) return {};
  return needed;
}

std::string lacking_memory(const char* verb, std::uint64_t needed, const Facts& facts) {
  return fmt::format("{} about {} of memory and {} are available", verb, base::format_bytes(needed),
                     base::format_bytes(facts.available_bytes.value_or(0)));
}

}  // namespace charm::cli
