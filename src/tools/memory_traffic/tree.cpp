#include "tools/memory_traffic/tree.hpp"

#include "tools/memory_traffic/index.hpp"

namespace charm::memory_traffic {
namespace {

class Builder {
 public:
  Builder(const Model& model, const Bandwidths& left, AccessTree& tree) : model_(model), left_(left), tree_(tree) {}

  /// Everything that is reached from `domain` without going back to `from`, below `vertex`.
  void expand(int domain, int from, int vertex) {
    for (std::size_t m = 0; m < model_.memories.size(); ++m) {
      if (model_.memories[m].domain != domain) continue;
      const int leaf = open(vertex, left_.memory[m]);
      tree_.vertices[at(leaf)].memory = static_cast<int>(m);
      tree_.vertices[at(leaf)].latency_ns = read_latency(model_, tree_.root, model_.memories[m]);
      close(leaf);
    }
    for (std::size_t d = 0; d < model_.domains.size(); ++d) {
      const int child = static_cast<int>(d);
      if (model_.domains[d].parent == domain && child != from) cross(child, domain, left_.out[d], vertex);
    }
    const int parent = model_.domains[at(domain)].parent;
    if (parent >= 0 && parent != from) cross(parent, domain, left_.in[at(domain)], vertex);
  }

  int open(int parent, double gb_per_s) {
    tree_.vertices.push_back({.gb_per_s = gb_per_s, .parent = parent});
    return static_cast<int>(tree_.vertices.size()) - 1;
  }
  void close(int vertex) { tree_.vertices[at(vertex)].end = static_cast<int>(tree_.vertices.size()); }

 private:
  void cross(int to, int from, double gb_per_s, int vertex) {
    if (gb_per_s == unlimited) return expand(to, from, vertex);
    const int behind = open(vertex, gb_per_s);
    expand(to, from, behind);
    if (at(behind) + 1 == tree_.vertices.size()) {
      tree_.vertices.pop_back();  // no memory behind it
    } else {
      close(behind);
    }
  }

  const Model& model_;
  const Bandwidths& left_;
  AccessTree& tree_;
};

}  // namespace

AccessTree access_tree(const Model& model, int root, const Bandwidths& left) {
  AccessTree tree;
  tree.root = root;
  tree.memories = model.memories.size();
  Builder builder(model, left, tree);
  const int top = builder.open(-1, unlimited);
  builder.expand(root, -1, top);
  builder.close(top);
  return tree;
}

std::vector<AccessTree> access_forest(const Model& model, const Bandwidths& left) {
  std::vector<AccessTree> forest;
  for (const int root : roots(model)) forest.push_back(access_tree(model, root, left));
  return forest;
}

}  // namespace charm::memory_traffic
