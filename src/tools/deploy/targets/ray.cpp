// Ray: a head without cpus, and a node for each worker, whose tasks inherit mask and memory policy. Whoever reaches the
// head runs code as its user, so 'charm deploy up' asks for a token.
#include "tools/deploy/coordinator.hpp"
#include "tools/deploy/targets/server.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

/// \param secured only `charm deploy up` makes the token (Ray 2.52 and later ask for it).
Variables ray_variables(const Worker& /*worker*/, const TargetOptions& options) {
  Variables all = {{"RAY_DISABLE_IMPORT_WARNING", "1"}, {"RAY_USAGE_STATS_ENABLED", "0"}};
  if (options.secret.empty()) return all;
  all.emplace_back("RAY_AUTH_MODE", "token");
  all.emplace_back("RAY_AUTH_TOKEN", options.secret);
  return all;
}

Words ray_arguments(const Worker& worker, const TargetOptions& options) {
  Words all = {"start",
               "--block",
               "--address",
               coordinator_address(options),
               "--num-cpus",
               std::to_string(worker.cpus.size()),
               "--node-manager-port",
               std::to_string(worker.port),
               "--object-manager-port",
               std::to_string(worker.web_port),
               "--resources",
               "{\"" + worker.name + "\": 1}"};
  if (worker.memory_bytes > 0) {
    // As Ray divides memory: three tenths for the objects that workers share.
    const std::uint64_t objects = worker.memory_bytes / 10 * 3;
    for (const auto& word : {std::string("--object-store-memory"), std::to_string(objects), std::string("--memory"),
                             std::to_string(worker.memory_bytes - objects)}) {
      all.push_back(word);
    }
  }
  if (!options.secret.empty()) all.insert(all.end(), {"--node-ip-address", "127.0.0.1"});
  return all;
}

Words ray_head(const Worker& worker, const TargetOptions& options) {
  Words all = {"start",
               "--head",
               "--block",
               "--port",
               std::to_string(worker.port),
               "--num-cpus",
               "0",
               "--include-dashboard=false",
               "--object-store-memory",
               "100000000"};
  if (!options.secret.empty()) all.insert(all.end(), {"--node-ip-address", "127.0.0.1"});
  return all;
}

void ray_prepare(const Worker& worker, Launch& how) {
  if (worker.name != coordinator_name) return;
  std::string text = "# . this file, then ray.init(\"127.0.0.1:" + std::to_string(worker.port) + "\")\n";
  for (const auto& [name, value] : how.variables) {
    if (name.starts_with("RAY_AUTH_")) text += "export " + name + "=" + value + "\n";
  }
  how.files.push_back({"client.sh", text, false, true});
}

constexpr Server ray{
    .name = "ray",
    .summary = "Ray: a head, and a node for each worker; 'charm deploy up' starts them",
    .program = "ray",
    .install = "install it (pip install ray), and put ray on PATH",
    .access =
        "whoever reaches Ray's head runs code as its user. 'charm deploy up' admits those with the token of "
        "DIR/coordinator/client.sh (Ray 2.52 and later); the files of 'charm deploy plan' are for networks whose "
        "users you trust",
    .web_port = true,
    .coordinator_port = 6379,
    .arguments = ray_arguments,
    .variables = ray_variables,
    .coordinator = ray_head,
    .prepare = ray_prepare};

}  // namespace

Target ray_target() { return target_of<ray>(); }

}  // namespace charm::deploy
