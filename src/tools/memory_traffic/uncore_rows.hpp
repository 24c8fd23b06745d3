// Which event of which uncore unit counts the traffic of a memory or a bus, as data.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace charm::memory_traffic {

enum class Carries {
  memory,         ///< the memory controllers of the place
  into_socket,    ///< what the cpus of a socket read from other sockets
  out_of_socket,  ///< what others read from the memory of a socket
  out_of_node     ///< what the rest of its socket reads from the memory of a node
};

struct UncoreRow {
  std::string_view source;  ///< the kind of source (source.hpp) that it belongs to
  std::string_view unit;    ///< os::uncore_kind
  Carries carries;
  std::string_view cpus;   ///< core designs that it is for (counters/catalogue.hpp), separated by blanks; empty: all
  std::string_view named;  ///< the name by which the driver knows it: taken where it does; may be empty
  std::string_view terms;  ///< else this; "%" stands for the event's number
  unsigned event = 0;      ///< of the first of several that differ in the number alone
  unsigned step = 0;
  int count = 1;
  double bytes = 64;  ///< of a count, unless the driver tells
  std::string_view origin;
};

/// Whether a unit is opened by one cpu of the socket, whichever node's memory it serves; else by one of its own node.
constexpr bool is_of_socket(const UncoreRow& row) { return row.source == "amd" || row.source == "intel"; }

/// Of the rows of one source that carry the same thing, those of the first unit that the machine has are taken.
std::span<const UncoreRow> uncore_rows();

/// The terms of the i-th event of a row.
std::string terms_of(const UncoreRow& row, int i);

}  // namespace charm::memory_traffic
