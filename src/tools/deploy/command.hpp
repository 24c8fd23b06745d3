// The command of a worker, as --exec gives it: words with placeholders such as {port}, and words as shells, systemd and
// YAML read them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tools/deploy/target.hpp"

namespace charm::deploy {

/// Words separated by blanks; '...' , "..." and backslashes keep characters together as in a shell, and nothing is
/// expanded. \throws Error (bad_config) for a quote that does not end.
std::vector<std::string> split_words(std::string_view text);

/// A word with {name}, {index}, {host}, {port}, {web_port}, {dir}, {cpus}, {cores}, {nodes}, {memory_mb} and {heap_mb}
/// replaced by the worker's; {{ and }} are braces. \throws Error (bad_config) for another name.
std::string expanded(std::string_view word, const Worker& worker);

/// The words of --exec for a worker. \throws Error (bad_config) if there is none.
std::vector<std::string> command_of(const std::string& exec, const Worker& worker);

/// A word or words as a shell reads them again.
std::string shell_word(std::string_view word);
std::string shell_line(const std::vector<std::string>& words);

/// "numactl --physcpubind=0-7 --membind=0": starts what follows bound as the plan says.
std::string numactl(const Worker& worker);

/// Whole MiB.
std::string mib_text(std::uint64_t bytes);

/// \throws Error (bad_config) where the machine's memory is unknown, for targets that need the workers' sizes.
void need_memory(const Plan& plan, std::string_view target);
void need_memory(const Worker& worker, std::string_view target);

/// \throws Error (bad_input) where a worker's heap is smaller than the target can use. \param why a clause that says
/// so.
void need_heap(const Worker& worker, std::string_view target, std::uint64_t least, std::string_view why);

/// \throws Error (bad_config) where a worker would listen on a port of the engine's master or coordinator.
void keep_off_ports(const Plan& plan, std::string_view target, std::initializer_list<int> ports);

/// A comment that says where a file is from.
std::string heading(std::string_view comment, const Plan& plan);

/// A script that starts all workers of a host: `line(worker)` is the shell text for one, `before` what precedes them.
template <class Line>
File start_script(const Plan& plan, const std::string& host, Line line, const std::string& before = "") {
  std::string text = "#!/bin/sh\n" + heading("#", plan) + "set -eu\n" + before;
  for (const Worker* worker : plan.workers_of(host)) text += line(*worker);
  return {"start-" + host + ".sh", text, true};
}

}  // namespace charm::deploy
