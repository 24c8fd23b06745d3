#include "task_dag/graph_state.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "task_dag/costs.hpp"
#include "task_dag/graph_run.hpp"

namespace charm::detail {

GraphState::~GraphState() { destroy_callables(); }

void GraphState::must_not_run(const char* what) const {
  if (claimed())
    throw Error(Errc::bad_input, std::string(what) + " of " + called() + ", which runs",
                "wait until run() has returned");
}

GraphNode* GraphState::begin_node(const GraphNodeType& type) {
  must_not_run("emplace()");
  if (size_ >= most_nodes)
    throw Error(Errc::bad_input, called() + " has " + std::to_string(size_) + " nodes, and no graph has more",
                "divide it into several, and compose one of them");
  const auto slab = static_cast<std::size_t>(std::bit_width(size_ + first_slab) - 1) - first_slab_bits;
  if (slabs_[slab] == nullptr) {
    const std::size_t bytes = (std::size_t{first_slab} << slab) * sizeof(GraphNode);
    slabs_[slab].reset(static_cast<GraphNode*>(::operator new(bytes, std::align_val_t{64})));
    bytes_ += bytes;
  }
  return ::new (static_cast<void*>(at(size_))) GraphNode(task_dag::start_of_node, type, *this);
}

std::uint32_t GraphState::end_node(const GraphNode& node) noexcept {
  // A dynamic node owns the graph that it fills, whatever its function owns.
  destroys_ = destroys_ || node.type->destroy != nullptr || node.type->kind == GraphNodeType::Kind::dynamic;
  prepared_ = false;
  return size_++;
}

void* GraphState::memory(std::size_t bytes, std::size_t alignment) {
  constexpr std::size_t block_bytes = std::size_t{1} << 16U;
  for (; block_ < blocks_.size(); ++block_, used_ = 0) {
    void* from = blocks_[block_].memory.get() + used_;
    std::size_t room = blocks_[block_].bytes - used_;
    if (std::align(alignment, bytes, from, room) == nullptr) continue;
    used_ = blocks_[block_].bytes - room + bytes;
    return from;
  }
  // Small graphs get small blocks.
  const std::size_t next = std::min(block_bytes, std::max<std::size_t>(1024, bytes_ / 4 / 64 * 64));
  const std::size_t size = std::max(next, (bytes + alignment + 63) / 64 * 64);
  std::unique_ptr<std::byte, FreeBlock> fresh(static_cast<std::byte*>(::operator new(size, std::align_val_t{64})));
  blocks_.push_back({std::move(fresh), size});
  bytes_ += size;
  block_ = blocks_.size() - 1;
  used_ = 0;
  return memory(bytes, alignment);
}

void GraphState::add_edge(std::uint32_t from, std::uint32_t to) {
  must_not_run("an edge");
  GraphNode& source = *at(from);
  GraphNode& target = *at(to);
  const std::uint32_t count = source.successor_count;
  if (count < 2) {
    source.few[count] = to;
  } else {
    if (count == 2 || (count >= 4 && std::has_single_bit(count))) {  // full: 2, 4, 8 ...
      const std::size_t room = count == 2 ? 4 : std::size_t{count} * 2;
      auto* more = static_cast<std::uint32_t*>(memory(room * sizeof(std::uint32_t), alignof(std::uint32_t)));
      std::copy_n(source.successors(), count, more);
      source.many = more;
    }
    source.many[count] = to;
  }
  ++source.successor_count;
  ++edges_;
  prepared_ = false;
  if (source.type->kind == GraphNodeType::Kind::condition) {
    conditions_ = true;
    target.flags |= GraphNode::chosen;
    return;
  }
  forward_ = forward_ && from < to;
  ++target.predecessors;
  target.pending.store(target.predecessors, std::memory_order_relaxed);
}

void GraphState::destroy_callables() noexcept {
  if (!destroys_) return;
  for (std::uint32_t i = 0; i < size_; ++i) {
    GraphNode& node = *at(i);
    if (node.type->kind == GraphNodeType::Kind::dynamic) delete nested(node).graph;
    if (node.type->destroy != nullptr) node.type->destroy(node);
  }
}

void GraphState::clear() noexcept {
  destroy_callables();
  names.clear();
  sources_.clear();
  modules_.clear();
  size_ = 0;
  edges_ = 0;
  ++generation_;
  block_ = used_ = 0;
  forward_ = prepared_ = true;
  conditions_ = destroys_ = spoilt_ = false;
}

std::uint32_t GraphState::index_of(const GraphNode& node) const noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(&node);
  for (std::size_t slab = 0; slab < slabs_.size(); ++slab) {
    const auto base = reinterpret_cast<std::uintptr_t>(slabs_[slab].get());
    const std::uintptr_t nodes = std::uintptr_t{first_slab} << slab;
    if (base != 0 && address >= base && address < base + nodes * sizeof(GraphNode))
      return static_cast<std::uint32_t>((address - base) / sizeof(GraphNode) + nodes - first_slab);
  }
  return UINT32_MAX;
}

std::string GraphState::called(std::uint32_t index) const {
  const auto named = names.find(index);
  return named != names.end() ? "'" + named->second + "'" : "#" + std::to_string(index);
}

std::string GraphState::called() const {
  return name.empty() ? std::string("a task graph") : "task graph '" + name + "'";
}

namespace {

const GraphNodeType module_type{GraphNodeType::Kind::module, [](GraphNode&, subgraph*) -> std::int64_t { return 0; },
                                nullptr};

}  // namespace

bool GraphState::contains(const GraphState& other) const {
  if (this == &other) return true;
  return std::any_of(modules_.begin(), modules_.end(),
                     [&](std::uint32_t module) { return nested(*at(module)).graph->contains(other); });
}

std::uint32_t GraphState::compose(GraphState& other) {
  if (other.contains(*this))
    throw Error(Errc::bad_input,
                called() + " would be within itself: " +
                    (&other == this ? "it was composed of itself" : other.called() + " contains it already"),
                "compose it of a graph that does not contain it");
  GraphNode* node = begin_node(module_type);
  auto* within = ::new (memory(sizeof(NestedGraph), alignof(NestedGraph))) NestedGraph{&other};
  ::new (static_cast<void*>(node->storage)) NestedGraph*(within);
  modules_.push_back(size_);
  return end_node(*node);
}

void GraphState::call_dynamic(GraphNode& node) {
  NestedGraph& within = nested(node);
  if (within.graph == nullptr) {
    within.graph = new GraphState;  // with the node until the graph is cleared
    const std::uint32_t index = index_of(node);
    const auto named = names.find(index);
    within.graph->name = "made by " + (named != names.end() ? named->second : "#" + std::to_string(index));
  }
  within.graph->end();  // a run that finalize() has dropped may have left it claimed
  within.graph->clear();
  subgraph to_fill(within.graph);
  node.type->call(node, &to_fill);
}

GraphState* make_graph() {
  task_dag::start_clock();  // long before anything asks for a cost
  return new GraphState;
}
void destroy_graph(GraphState* graph) noexcept { delete graph; }
GraphNode* new_graph_node(GraphState& graph, const GraphNodeType& type) { return graph.begin_node(type); }
std::uint32_t node_made(GraphState& graph, const GraphNode& node) noexcept { return graph.end_node(node); }
void* graph_memory(GraphState& graph, std::size_t bytes, std::size_t alignment) {
  return graph.memory(bytes, alignment);
}
std::uint32_t graph_generation(const GraphState& graph) noexcept { return graph.generation(); }

}  // namespace charm::detail
