// Docker and Podman: a container for each worker, with its cpus, memory nodes and memory limit.
#include <charm/error.hpp>

#include "tools/deploy/command.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

std::vector<File> containers_of(const std::string& engine, const Plan& plan, const TargetOptions& options) {
  std::vector<File> all;
  for (const HostPlan& host : plan.hosts) {
    all.push_back(start_script(plan, host.name, [&](const Worker& worker) {
      std::vector<std::string> words = {
          engine, "run",       "--detach",   "--name",        "charm-" + worker.name, "--network",
          "host", "--restart", "on-failure", "--cpuset-cpus", worker.cpus.to_text()};
      const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
      if (worker.memory == Memory::preferred || worker.memory == Memory::weighted) {
        throw Error(Errc::bad_config,
                    "target " + engine + ": containers bind memory, and cannot prefer a node or interleave by weights",
                    "take --memory bind or none");
      }
      if (worker.memory == Memory::bind) add({"--cpuset-mems", worker.nodes.to_text()});
      if (worker.memory_bytes > 0) add({"--memory", mib_text(worker.memory_bytes) + "m"});
      add({"--volume", worker.directory + ":" + worker.directory, "--workdir", worker.directory, options.image});
      if (!options.exec.empty()) {
        for (std::string& word : command_of(options.exec, worker)) words.push_back(std::move(word));
      }
      return "mkdir -p " + shell_word(worker.directory) + "\n" + shell_line(words) + "\n";
    }));
  }
  return all;
}

std::vector<File> docker(const Plan& plan, const TargetOptions& options) {
  return containers_of("docker", plan, options);
}
std::vector<File> podman(const Plan& plan, const TargetOptions& options) {
  return containers_of("podman", plan, options);
}

}  // namespace

Target docker_target() {
  return {"docker", "a container for each worker: --cpuset-cpus, --cpuset-mems, --memory", "image", docker};
}
Target podman_target() { return {"podman", "the same with podman", "image", podman}; }

}  // namespace charm::deploy
