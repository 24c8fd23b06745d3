// The figures that reproduce.cpp lists, one in each file, and the functions that they share.
#pragma once

#include "sim/reproduce.hpp"

namespace charm::sim {

Reproduction abss_figure_13();
Reproduction charm_figure_5();
Reproduction charm_figure_7();
Reproduction charm_figure_9();
Reproduction charm_figure_10();
Reproduction charm_table_1();
Reproduction charm_table_2();
Reproduction olap_figure_5();
Reproduction olap_figure_10();
Reproduction tapmm_figure_8();
Reproduction tapmm_figure_10();
Reproduction tapmm_figure_11();

/// Steady rates of a plain program: threads that are never moved, one counter for all at a barrier.
Rates plain_rates(const Model& model, const placement::Placement& placement, const std::string& workload);

/// Steady rates of a policy, after the controller has settled.
RunResult settled(const Model& model, const std::string& workload, const std::string& policy, int workers);

}  // namespace charm::sim
