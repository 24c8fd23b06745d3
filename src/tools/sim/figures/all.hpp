// The figures that reproduce.cpp lists, one in each file, and the functions that they share.
#pragma once

#include "tools/sim/reproduce.hpp"

namespace charm::sim {

Reproduction abss_figure_13(const Free& free);
Reproduction charm_figure_5(const Free& free);
Reproduction charm_figure_7(const Free& free);
Reproduction charm_figure_9(const Free& free);
Reproduction charm_figure_10(const Free& free);
Reproduction charm_figure_14(const Free& free);
Reproduction charm_table_1(const Free& free);
Reproduction charm_table_2(const Free& free);
Reproduction olap_figure_5(const Free& free);
Reproduction olap_figure_10(const Free& free);
Reproduction tapmm_figure_8(const Free& free);
Reproduction tapmm_figure_10(const Free& free);
Reproduction tapmm_figure_11(const Free& free);
Reproduction tapmm_sharing(const Free& free);

/// A tie is no confirmation: that one is ahead of another holds where the ratio is above this.
inline constexpr double clearly_ahead = 1.05;

/// A built-in model under these numbers.
Model model_with(std::string_view name, const Free& free);

/// Steady rates of a plain program: threads that are never moved, one counter for all at a barrier.
Rates plain_rates(const Model& model, const placement::Placement& placement, const std::string& workload);

/// Steady rates of a policy, after the controller has settled.
RunResult settled(const Model& model, const std::string& workload, const std::string& policy, int workers);

}  // namespace charm::sim
