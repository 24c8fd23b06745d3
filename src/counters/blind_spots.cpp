#include "counters/blind_spots.hpp"

namespace charm::counters {

std::vector<std::string> blind_spots(const Description& description, const Machine& machine) {
  std::vector<std::string> spots;
  if (machine.chiplets.size() <= 1) return spots;  // there is nothing to see
  const FillSet apart = told_apart(description.classes), all = counted(description.classes);
  if (description.kind != Description::Kind::hardware || all.empty()) {
    return {"where cache lines come from: adaptive decides by throughput alone, and charm-alg1 keeps its level"};
  }
  const bool several = machine.chiplets.size() > machine.nodes.size();
  if (several && !apart.has(FillSource::other_chiplet)) {
    spots.push_back(std::string("other chiplets: their lines are ") +
                    (all.has(FillSource::other_chiplet) ? "counted among those of the own chiplet" : "not counted") +
                    "; adaptive finds by trying whether fewer chiplets are faster, and charm-alg1 keeps its level "
                    "unless events=any");
  }
  if (!all.has(FillSource::local_dram)) {
    spots.emplace_back("memory: its lines are not counted; adaptive finds by trying whether more chiplets are faster");
  }
  if (machine.nodes.size() > 1 && all.has(FillSource::remote_dram) && !apart.has(FillSource::remote_dram)) {
    spots.emplace_back("memory of other nodes: its lines are counted together with those of other nodes' caches");
  }
  return spots;
}

}  // namespace charm::counters
