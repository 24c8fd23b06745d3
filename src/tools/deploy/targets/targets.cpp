#include "tools/deploy/targets/targets.hpp"

#include <charm/error.hpp>

#include <array>

#include "base/registry.hpp"

namespace charm::deploy {

std::span<const Target> targets() {
  static const std::array all = {process_target(), postgresql_target(), duckdb_target(),      spark_target(),
                                 trino_target(),   presto_target(),     singlestore_target(), yarn_target(),
                                 systemd_target(), slurm_target(),      kubernetes_target(),  docker_target(),
                                 podman_target(),  openmpi_target(),    mpich_target(),       openmp_target()};
  return all;
}

const Target& target(std::string_view name) { return base::named(targets(), name, "target"); }

std::vector<File> files_for(const Target& target, const Plan& plan, const TargetOptions& options) {
  const std::string name(target.name);
  if (target.uses.find("exec") != std::string_view::npos && options.exec.empty()) {
    throw Error(Errc::bad_config, "target " + name + " needs the workers' command",
                "give --exec 'command {port} {dir}'");
  }
  if (target.uses.find("image") != std::string_view::npos && options.image.empty()) {
    throw Error(Errc::bad_config, "target " + name + " needs the image of the workers' containers",
                "give --image NAME");
  }
  return target.files(plan, options);
}

}  // namespace charm::deploy
