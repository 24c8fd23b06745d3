// A graph in the language of Graphviz.
#include <charm/task_graph.hpp>

#include <ostream>
#include <sstream>
#include <string>

#include "task_dag/graph_state.hpp"

namespace charm {

namespace {

using detail::GraphNode;
using detail::GraphState;
using Kind = detail::GraphNodeType::Kind;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

/// Nodes of graphs within graphs have the way to them before their number.
void write_graph(std::ostream& out, const GraphState& graph, const std::string& path, const std::string& indent) {
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const GraphNode& node = *graph.at(i);
    const std::string id = path + std::to_string(i);
    const auto named = graph.names.find(i);
    const std::string label = named != graph.names.end() ? named->second : "#" + std::to_string(i);
    if (node.type->kind == Kind::module) {
      const GraphState& within = *GraphState::nested(node).graph;
      out << indent << "subgraph \"cluster_" << id << "\" {\n"
          << indent << "  label=" << quoted(label + ": " + within.called()) << ";\n"
          << indent << "  \"" << id << "\" [shape=point];\n";
      write_graph(out, within, id + ".", indent + "  ");
      out << indent << "}\n";
      continue;
    }
    out << indent << '"' << id << "\" [label=" << quoted(label);
    if (node.type->kind == Kind::condition) out << " shape=diamond";
    if (node.type->kind == Kind::dynamic) out << " shape=component";
    out << "];\n";
  }
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const GraphNode& node = *graph.at(i);
    for (std::uint32_t e = 0; e < node.successor_count; ++e) {
      out << indent << '"' << path << i << "\" -> \"" << path << node.successors()[e] << '"';
      if (node.type->kind == Kind::condition) out << " [style=dashed label=\"" << e << "\"]";
      out << ";\n";
    }
  }
}

}  // namespace

void task_graph::dump(std::ostream& out) const {
  out << "digraph " << quoted(state_->name.empty() ? "task graph" : state_->name) << " {\n";
  write_graph(out, *state_, "", "  ");
  out << "}\n";
}

std::string task_graph::dump() const {
  std::ostringstream text;
  dump(text);
  return text.str();
}

}  // namespace charm
