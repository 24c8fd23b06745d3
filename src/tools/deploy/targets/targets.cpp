#include "tools/deploy/targets/targets.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>

#include "base/registry.hpp"

namespace charm::deploy {

std::span<const Target> targets() {
  static const std::array all = {process_target(), postgresql_target(), duckdb_target(),      spark_target(),
                                 trino_target(),   presto_target(),     clickhouse_target(),  dask_target(),
                                 ray_target(),     valkey_target(),     mongodb_target(),     llama_target(),
                                 vllm_target(),    pytorch_target(),    singlestore_target(), yarn_target(),
                                 systemd_target(), slurm_target(),      kubernetes_target(),  kubernetes_dra_target(),
                                 docker_target(),  podman_target(),     openmpi_target(),     openmpi5_target(),
                                 mpich_target(),   openmp_target()};
  return all;
}

const Target& target(std::string_view name) { return base::named(targets(), name, "target"); }

void check_texts(const Plan& plan, const TargetOptions& options) {
  const auto no_control_characters = [](const char* what, const std::string& text) {
    if (std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; })) return;
    throw Error(Errc::bad_config, std::string(what) + " has a control character in it",
                "leave out line ends and the like");
  };
  no_control_characters("the folder of the plan", plan.directory);
  no_control_characters("--exec", options.exec);
  no_control_characters("--image", options.image);
  no_control_characters("--model", options.model);
  const std::string& host = options.coordinator;
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]";  // and addresses of IPv6
  if (!host.empty() && host.front() != '-' && host.find_first_not_of(allowed) == std::string::npos) return;
  throw Error(Errc::bad_config, "--coordinator is no name or address of a host", "give for example node7.example.org");
}

os::Question http_question(int port, const std::string& path, const std::string& answer, const std::string& socket) {
  return {socket, port, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", answer};
}

void check_uses(const Target& target, const TargetOptions& options) {
  const std::string name(target.name);
  const auto needs = [&](std::string_view option) { return target.uses.find(option) != std::string_view::npos; };
  if (needs("exec") && options.exec.empty()) {
    throw Error(Errc::bad_config, "target " + name + " needs the workers' command",
                "give --exec 'command {port} {dir}'");
  }
  if (needs("image") && options.image.empty()) {
    throw Error(Errc::bad_config, "target " + name + " needs the image of the workers' containers",
                "give --image NAME");
  }
  if (needs("model") && options.model.empty()) {
    throw Error(Errc::bad_config, "target " + name + " needs the model that its servers load",
                "give --model FILE, or the name that the engine knows it by");
  }
}

std::vector<File> files_for(const Target& target, const Plan& plan, const TargetOptions& options) {
  check_uses(target, options);
  check_texts(plan, options);
  return target.files(plan, options);
}

}  // namespace charm::deploy
