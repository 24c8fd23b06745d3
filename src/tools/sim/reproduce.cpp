#include "tools/sim/reproduce.hpp"

#include <charm/error.hpp>

#include <cmath>

#include "tools/sim/figures/all.hpp"

namespace charm::sim {

std::span<const Figure> figures() {
  static constexpr Figure all[] = {
      {"abss:fig13", "Sparse factorisations on 128 cores: ABSS against OpenMP and oneTBB", abss_figure_13},
      {"charm:fig5", "LocalCache against DistributedCache, writing a vector with 8 threads", charm_figure_5},
      {"charm:fig7", "Graph kernels on 2 × 7713 against NUMA-aware runtimes", charm_figure_7},
      {"charm:fig9", "Streamcluster: CHARM against SHOAL", charm_figure_9},
      {"charm:fig10", "Speedup over RING by graph size", charm_figure_10},
      {"charm:fig14", "YCSB and TPC-C: LocalCache against DistributedCache", charm_figure_14},
      {"charm:tab1", "Chiplet accesses at 64 cores", charm_table_1},
      {"charm:tab2", "Streamcluster: where accesses are served from", charm_table_2},
      {"olap:fig5", "STREAM copy by number of processes", olap_figure_5},
      {"olap:fig10", "STREAM copy with 8 cores, local against mixed", olap_figure_10},
      {"tapmm:fig8", "Reading memory from one die, by where it lies", tapmm_figure_8},
      {"tapmm:fig10", "Page mappings of programs alone", tapmm_figure_10},
      {"tapmm:fig11", "Page mappings beside a database", tapmm_figure_11},
      {"tapmm:sharing", "Two programs that follow one sampler, and blocks that several dies read", tapmm_sharing},
  };
  return all;
}

Reproduction reproduce(std::string_view name, const Free& free) {
  std::string known;
  for (const Figure& figure : figures()) {
    if (figure.name == name) {
      Reproduction out = figure.make(free);
      out.figure = figure.name;
      out.title = figure.title;
      return out;
    }
    known += (known.empty() ? "" : ", ") + std::string(figure.name);
  }
  throw Error(Errc::bad_config, "unknown figure '" + std::string(name) + "'", "choose one of " + known);
}

Point magnitude(std::string series, double x, double paper, double model, std::string source) {
  const bool near = std::abs(model - paper) <= 0.25 * std::abs(paper);
  return {std::move(series), x, paper, model, false, near, "", std::move(source), Basis::predicted};
}

Point required(std::string series, double x, double paper, double model, bool holds, std::string claim,
               std::string source) {
  return {std::move(series), x, paper, model, true, holds, std::move(claim), std::move(source), Basis::predicted};
}

}  // namespace charm::sim
