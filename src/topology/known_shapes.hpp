// The published shapes of products, so that a machine that is not at hand can be named: "epyc-9654", "2x9654".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "topology/shape.hpp"
#include "topology/survey.hpp"

namespace charm::topology {

struct KnownShape {
  std::string_view name;
  std::string_view product;  ///< as the processor calls itself, nearly: "AMD EPYC 9654"
  std::string_view aliases;  ///< separated by blanks
  std::string_view source;   ///< of cores and caches; sizes of memory are those of a common configuration
  int sockets;
  int node_gib;         ///< memory of each node
  int memory_only_gib;  ///< of one more node, which has no cpus; 0: there is none
  int threads;          ///< of each core
  int l2_kib;
  std::span<const Cores> cores;
};

/// By name.
std::span<const KnownShape> known_shapes();

struct NamedMachine {
  const KnownShape* shape = nullptr;
  int sockets = 1;
};

/// Names and aliases, in which case, '-', '_' and blanks do not count, with a number of sockets before them ("2x9654")
/// or without. Nothing where there is no such name, or no such machine: of 1 to 16 sockets.
std::optional<NamedMachine> named_machine(std::string_view text);

std::string title_of(const NamedMachine& machine);
Shape shape_of(const NamedMachine& machine);
Survey survey_of(const NamedMachine& machine);

/// How to name a product, for messages.
inline constexpr const char* naming_products =
    "a product, with a number of sockets before it (2xepyc-9654) or without ('charm topo --products' lists them)";

}  // namespace charm::topology
