// The workloads of `charm bench`, in the order of help. A new one is a file with its options, one with its run, and its
// row here.
#pragma once

#include <tuple>

#include "tools/cli/bench/workloads/factor_options.hpp"
#include "tools/cli/bench/workloads/graph_options.hpp"
#include "tools/cli/bench/workloads/gups_options.hpp"
#include "tools/cli/bench/workloads/olap_options.hpp"
#include "tools/cli/bench/workloads/oltp_options.hpp"
#include "tools/cli/bench/workloads/sgd_options.hpp"
#include "tools/cli/bench/workloads/streamcluster_options.hpp"

namespace charm::cli {

using Workloads = std::tuple<FactorWorkload,        //
                             GraphWorkload,         //
                             GupsWorkload,          //
                             OlapWorkload,          //
                             OltpWorkload,          //
                             SgdWorkload,           //
                             StreamclusterWorkload  //
                             >;

/// Calls `body` with a value of each workload's type.
template <class F>
void for_each_workload(F body) {
  std::apply([&](const auto&... each) { (body(each), ...); }, Workloads());
}

}  // namespace charm::cli
