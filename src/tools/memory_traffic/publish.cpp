#include "tools/memory_traffic/publish.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tools/memory_traffic/index.hpp"

namespace charm::memory_traffic {
namespace {

void require_room(std::size_t wanted, std::size_t room, const std::string& what) {
  if (wanted <= room) return;
  throw Error(
      Errc::bad_input,
      "the machine has " + std::to_string(wanted) + " " + what + ", and there is room for " + std::to_string(room),
      "leave some out of the model file");
}

}  // namespace

memory::WeightPage weight_page(const Model& model, const Machine& cpus, const Policy& policy, const Bandwidths& left,
                               double demand_gb_per_s) {
  const std::vector<int> all = roots(model);
  require_room(model.memories.size(), memory::most_memories, "memories");
  require_room(all.size(), memory::most_roots, "nodes with cpus");
  memory::WeightPage page;
  page.magic = memory::page_magic;
  page.bytes = sizeof(memory::WeightPage);
  page.memories = static_cast<std::uint32_t>(model.memories.size());
  page.roots = static_cast<std::uint32_t>(all.size());
  policy.name.copy(page.policy.data(), page.policy.size() - 1);
  for (std::size_t m = 0; m < model.memories.size(); ++m) page.os_node[m] = model.memories[m].os_node;
  page.root_of_cpu.fill(memory::no_root);
  bool any = false;
  for (std::size_t r = 0; r < all.size(); ++r) {
    Question question{.model = &model, .left = left, .root = all[r]};
    question.demand_gb_per_s = demand_gb_per_s;
    const Weights weights = huge_weights(policy, question);
    const double largest = *std::max_element(weights.begin(), weights.end());
    for (std::size_t m = 0; m < weights.size(); ++m)
      page.weights[r][m] = static_cast<std::uint16_t>(std::lround(memory::most_weight * weights[m] / largest));
    page.normal[r] = static_cast<std::int16_t>(normal_memory(policy, question));
    const int socket = near_domain(model, all[r]);
    page.socket[r] = static_cast<std::uint8_t>(
        std::find_if(all.begin(), all.end(), [&](int root) { return near_domain(model, root) == socket; }) -
        all.begin());
    for (const Node& node : cpus.nodes) {
      if (node.os_index != model.domains[at(all[r])].os_node) continue;
      for (const int cpu : node.cpus) {
        require_room(at(cpu) + 1, memory::most_cpus, "cpus");
        page.root_of_cpu[at(cpu)] = static_cast<std::uint8_t>(r);
        any = true;
      }
    }
  }
  if (!any) {
    throw Error(Errc::bad_input, "no cpu that may be used belongs to the model '" + model.name + "'",
                "give the model of this machine, or none");
  }
  set_generation(page);
  return page;
}

/// FNV-1a over the weights and what they are for.
void set_generation(memory::WeightPage& page) {
  memory::WeightPage bare = page;
  bare.sequence = bare.generation = bare.sampled_ms = 0;
  bare.source.fill('\0');
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : page_bytes(bare)) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  page.generation = hash;
}

std::string page_bytes(const memory::WeightPage& page) {
  std::string bytes(sizeof page, '\0');
  std::memcpy(bytes.data(), &page, sizeof page);
  return bytes;
}

memory::WeightPage page_from_bytes(const std::string& bytes, const std::string& name) {
  memory::WeightPage page;
  if (bytes.size() == sizeof page) std::memcpy(&page, bytes.data(), sizeof page);
  if (!is_sound(page)) {
    throw Error(Errc::bad_input, name + " holds no weights of this version of charm",
                "write them with 'charm malloc weights --publish'");
  }
  return page;
}

}  // namespace charm::memory_traffic
