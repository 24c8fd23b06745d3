// `charm malloc speed`: what blocks of malloc(3) give and cost under the malloc that this command runs with. Started
// once plainly and once under libcharm_malloc.so, it shows what the library and its policies do on this machine.
#include <charm/error.hpp>

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/json.hpp"
#include "os/memory/memory.hpp"
#include "os/threads/affinity.hpp"
#include "tools/cli/malloc/commands.hpp"
#include "tools/cli/options.hpp"
#include "tools/probe/measuring/heap_blocks.hpp"

namespace charm::cli {

std::vector<std::string> malloc_speeds() { return {"read", "small", "huge"}; }

int malloc_speed(const MallocSpeedOptions& options, Session& session) {
  constexpr int passes = 7;
  const CpuSet allowed = os::allowed_cpus();
  const CpuSet cpus = options.cpus.empty() ? allowed : CpuSet::parse(options.cpus, "--cpus");
  if (cpus.empty()) throw Error(Errc::bad_config, "--cpus names no cpu", "name one at least");
  if (!cpus.is_subset_of(allowed)) {
    throw Error(Errc::bad_config, "--cpus: not all of " + cpus.to_text() + " may be used",
                "choose among " + allowed.to_text());
  }
  const auto asked = [&](const char* what) {
    const std::vector<std::string> words = split_list(options.only);
    return options.only.empty() || std::find(words.begin(), words.end(), what) != words.end();
  };
  const std::size_t bytes = static_cast<std::size_t>(options.mib) << 20U;
  if (const auto available = os::available_bytes(); asked("read") && available && bytes > *available) {
    throw Error(Errc::bad_config,
                fmt::format("--mib: a block of {} does not fit into the {} that are available",
                            base::format_bytes(bytes), base::format_bytes(*available)),
                "take a smaller one");
  }
  base::Json json = {{"cpus", cpus.to_text()}, {"bytes", bytes}};
  std::string text;
  if (asked("read")) {
    const probe::BlockRead read = probe::read_block(cpus.values(), bytes, passes);
    base::Json nodes = base::Json::array();
    std::string lies;
    for (const auto& [node, part] : read.parts) {
      nodes.push_back({{"node", node}, {"part", part}});
      lies +=
          fmt::format("{}{} on node {}", lies.empty() ? "; of its pages lie " : ", ", base::format_percent(part), node);
    }
    json["read_gb_per_s"] = read.gb_per_s;
    json["nodes"] = nodes;
    text += fmt::format("reading a block of {} by {}: {} GB/s{}\n", base::format_bytes(bytes),
                        base::counted(cpus.size(), "thread"), base::three_digits(read.gb_per_s), lies);
  }
  if (asked("small")) {
    const double ns = probe::small_block_ns(cpus.front());
    json["small_block_ns"] = ns;
    text += fmt::format("getting and giving back a block of 16 to 512 bytes: {} ns\n", base::three_digits(ns));
  }
  if (asked("huge")) {
    const double us = probe::huge_block_us(cpus.front());
    json["huge_block_us"] = us;
    text += fmt::format("getting, touching and giving back a block of 8 MiB: {} µs\n", base::three_digits(us));
  }
  session.out << (options.output.json ? base::json_text(json, 2) + "\n" : text);
  return exit_done;
}

}  // namespace charm::cli
