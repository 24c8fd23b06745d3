#include "topology/shape.hpp"

#include <algorithm>
#include <utility>

namespace charm::topology {
namespace {

/// Adds the chiplets of one socket, without cpus.
void add_socket(Survey& survey, const Shape& shape, int socket, std::vector<int>& threads_of) {
  const int first_node = static_cast<int>(survey.nodes.size());
  for (const std::uint64_t bytes : shape.node_bytes)
    survey.nodes.push_back({static_cast<int>(survey.nodes.size()), bytes, socket});
  int next_l2 = survey.cores.empty() ? 0 : survey.cores.back().l2 + 1;
  for (const Cores& group : shape.cores) {
    for (int die = 0; die < std::max(1, group.chiplets); ++die) {
      if (group.l3_kib > 0 && group.chiplets > 0) survey.l3_bytes.push_back(group.l3_kib << 10U);
      for (int k = 0; k < group.cores; ++k) {
        SurveyCore core;
        core.l3 = group.l3_kib > 0 ? static_cast<int>(survey.l3_bytes.size()) - 1 : -1;
        core.node = first_node + group.node;
        core.socket = socket;
        core.l1d_bytes = std::uint64_t{32} << 10U;
        core.l2_bytes = (group.l2_kib > 0 ? group.l2_kib : shape.l2_kib) << 10U;
        core.l2 = next_l2;
        core.capacity = group.capacity;
        survey.cores.push_back(std::move(core));
        threads_of.push_back(group.threads > 0 ? group.threads : shape.threads);
        if ((k + 1) % group.cores_of_l2 == 0 || k + 1 == group.cores) ++next_l2;
      }
      survey.cores_per_l2 = std::max(survey.cores_per_l2, std::min(group.cores_of_l2, group.cores));
    }
  }
}

void number_cpus(Survey& survey, const std::vector<int>& threads_of) {
  const bool alike = std::all_of(threads_of.begin(), threads_of.end(), [&](int n) { return n == threads_of.front(); });
  const int step = alike ? static_cast<int>(survey.cores.size()) : 1;
  int next = 0;
  for (std::size_t index = 0; index < survey.cores.size(); ++index) {
    CpuSet& cpus = survey.cores[index].cpus;
    for (int t = 0; t < threads_of[index]; ++t) cpus.insert(next + t * step);
    next += alike ? 1 : threads_of[index];
    survey.all_cpus |= cpus;
  }
}

}  // namespace

Survey survey_of(const Shape& shape) {
  Survey survey;
  std::vector<int> threads_of;
  for (int socket = 0; socket < shape.sockets; ++socket) add_socket(survey, shape, socket, threads_of);
  number_cpus(survey, threads_of);
  for (const std::uint64_t bytes : shape.memory_only_bytes)
    survey.nodes.push_back({static_cast<int>(survey.nodes.size()), bytes, -1});
  survey.allowed_cpus = survey.all_cpus;
  for (const SurveyNode& node : survey.nodes) survey.allowed_nodes.insert(node.os_index);
  survey.all_nodes = static_cast<int>(survey.nodes.size());
  survey.sockets = shape.sockets;
  return survey;
}

}  // namespace charm::topology
