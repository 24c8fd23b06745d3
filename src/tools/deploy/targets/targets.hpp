// The entries of the registry of targets, one in each file (OpenMPI and MPICH, Trino and Presto, Docker and Podman
// differ in words alone and share theirs).
#pragma once

#include "tools/deploy/target.hpp"

namespace charm::deploy {

Target process_target();
Target postgresql_target();
Target systemd_target();
Target slurm_target();
Target kubernetes_target();
Target kubernetes_dra_target();
Target docker_target();
Target podman_target();
Target openmpi_target();
Target openmpi5_target();
Target mpich_target();
Target openmp_target();
Target spark_target();
Target trino_target();
Target presto_target();
Target yarn_target();
Target singlestore_target();
Target duckdb_target();
Target clickhouse_target();
Target dask_target();
Target ray_target();
Target valkey_target();
Target mongodb_target();
Target llama_target();
Target vllm_target();
Target pytorch_target();

}  // namespace charm::deploy
