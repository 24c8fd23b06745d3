#include "tools/cli/attach/mirror.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cstdint>

#include "base/format.hpp"
#include "os/memory/memory.hpp"
#include "tools/cli/preloading.hpp"
#include "tools/os/file_identity.hpp"

namespace charm::cli {
namespace {

constexpr std::size_t most_files = 32;  // src/mirror/mirror.cpp

/// What is left for this process, by the machine and by its cgroup.
std::uint64_t memory_left() {
  const std::uint64_t available = os::available_bytes().value_or(UINT64_MAX);
  return std::min(available, os::cgroup_memory_limit().value_or(UINT64_MAX));
}

}  // namespace

Mirror mirror_of(const std::vector<std::string>& files, const Machine& used, const std::string& program,
                 std::vector<std::string>& notes) {
  Mirror mirror;
  if (files.empty()) return mirror;
  if (files.size() > most_files)
    throw Error(Errc::bad_input, "--mirror: more than " + std::to_string(most_files) + " files", "leave some out");
  std::uint64_t bytes = 0;
  for (const std::string& name : files) {
    const os::FileIdentity file = os::file_identity(name);
    if (!file.problem.empty())
      throw Error(Errc::bad_input, "--mirror: " + name + " " + file.problem, "give a file that the program maps");
    bytes += file.bytes;
    mirror.files += (mirror.files.empty() ? "" : ",") + std::to_string(file.device) + ":" + std::to_string(file.number);
  }
  if (const std::uint64_t left = memory_left(); bytes > left) {
    throw Error(Errc::bad_input,
                "--mirror: a copy has " + base::format_bytes(bytes) + ", and " + base::format_bytes(left) +
                    " of memory are left",
                "leave --mirror out, so that all processes share the file's pages");
  }
  if (used.nodes.size() < 2) {
    notes.emplace_back("mirror: the program may use one node's memory, so the file's own pages are as near");
    return {};
  }
  mirror.library = beside_command("libcharm_mirror.so", CHARM_MIRROR_FROM_BIN, "build it, or install it with charm");
  if (const std::string why = why_not_preloaded(program, "--mirror", mirror.library); !why.empty())
    notes.push_back("mirror: " + why + ", so it maps the file's own pages");
  return mirror;
}

}  // namespace charm::cli
