// The executors of this build: CHARM_WORKLOADS_EXECUTORS(M) expands M(Type) for each, which is how a kernel's .cpp
// instantiates itself for all of them and how a runtime's name is found.
#pragma once

#include "workloads/executor/serial.hpp"

#ifdef CHARM_WORKLOADS_CHARM
#include "workloads/executor/charm.hpp"
#define CHARM_WORKLOADS_IF_CHARM(M) M(CharmExecutor)
#else
#define CHARM_WORKLOADS_IF_CHARM(M)
#endif

#ifdef CHARM_WORKLOADS_OPENMP
#include "workloads/executor/openmp.hpp"
#define CHARM_WORKLOADS_IF_OPENMP(M) M(OpenmpExecutor)
#else
#define CHARM_WORKLOADS_IF_OPENMP(M)
#endif

#ifdef CHARM_WORKLOADS_TBB
#include "workloads/executor/tbb.hpp"
#define CHARM_WORKLOADS_IF_TBB(M) M(TbbExecutor)
#else
#define CHARM_WORKLOADS_IF_TBB(M)
#endif

#define CHARM_WORKLOADS_EXECUTORS(M) \
  CHARM_WORKLOADS_IF_CHARM(M) CHARM_WORKLOADS_IF_OPENMP(M) CHARM_WORKLOADS_IF_TBB(M) M(SerialExecutor)
