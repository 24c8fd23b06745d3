// TAPMM Fig. 10 (§4.2): programs alone on the machine under local, interleaved and TAPMM's page mapping. What a program
// reads and writes a second, and how much memory its huge blocks have, is from Tab. 1 (measured on another server); its
// threads fill one die.
#include <algorithm>
#include <string>

#include "tools/sim/figures/all.hpp"
#include "tools/sim/figures/page_mapping.hpp"

namespace charm::sim {

Reproduction tapmm_figure_10(const Free& free) {
  const Model machine = model_with("kunpeng-920-128", free);
  const memory_traffic::Model forest = traffic_model(machine);
  const memory_traffic::Weights tapmm = weights_of(forest, "paper", 0, capacities(forest));
  const memory_traffic::Weights local = only_on(4, 0);
  const memory_traffic::Weights interleaved(4, 1);
  const char* text = "§4.2, text to Fig. 10";
  Reproduction out;
  out.x = "program of Tab. 1";
  out.y = "speedup of TAPMM";
  double most = 0;
  for (std::size_t i = 0; i < mapped_programs().size(); ++i) {
    const MappedProgram& program = mapped_programs()[i];
    const double with_tapmm = time_of(machine, program, tapmm, local);
    const double over_local = time_of(machine, program, local, local) / with_tapmm;
    const double over_interleaved = time_of(machine, program, interleaved, interleaved) / with_tapmm;
    const std::string name(program.name);
    const auto x = static_cast<double>(i);
    most = std::max(most, over_local);
    if (name == "EP.C" || name == "CG.C" || name == "DC.W") {
      const bool alike = std::max({over_local, 1 / over_local, over_interleaved, 1 / over_interleaved}) < 1.05;
      out.points.push_back(required(name + ", over local", x, 1, over_local, alike,
                                    "what computes does not care where its pages are", text));
    } else if (program.huge_mb > 0) {
      const bool best = over_local > 0.98 && over_interleaved > 0.98;
      out.points.push_back(required(name + ", over local", x, 1, over_local, best,
                                    "of programs with much memory TAPMM's is the best mapping", text));
    }
    if (name == "FT.C") {
      out.points.push_back(required("FT.C, over local", x, 1, over_local, over_local > 1.05 && over_interleaved >= 1,
                                    "the program with the highest demand gains", text));
      out.points.push_back(magnitude("FT.C, over local", x, 1.4, over_local, text));
      out.points.push_back(magnitude("FT.C, over interleaved", x, 1.12, over_interleaved, text));
    }
  }
  out.points.push_back(magnitude("over local, at most", 0, 1.93, most, "§1, contribution 3"));
  out.not_captured = {"AutoNUMA, which the paper finds to be as local memory.",
                      "How many threads a program had, and on which dies: here 32 on one.",
                      "What the programs could read on a Kunpeng 920: Tab. 1 is of an Intel server."};
  return out;
}

}  // namespace charm::sim
