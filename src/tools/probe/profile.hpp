// The result of a measurement and its file: JSON with a version, under the XDG data directory, keyed by the machine and
// the cpus that were measured. A profile of another machine or of other cpus is refused with the reason. A profile of
// an interrupted measurement is marked as partial.
#pragma once

#include <charm/machine.hpp>

#include <optional>
#include <string>
#include <vector>

#include "tools/probe/latency_matrix.hpp"
#include "tools/probe/measuring/samples.hpp"
#include "tools/probe/structure/clustering.hpp"
#include "topology/profile.hpp"

namespace charm::probe {

struct Point {
  double x = 0;
  double y = 0;
  double spread = 0;  ///< distance of the quartiles over the median
};

struct Series {
  std::string label;
  std::vector<Point> points;
};

struct Curve {
  std::string name;  ///< "latency by working set"
  std::string x, x_unit, y, y_unit;
  std::vector<Series> series;
};

struct Profile {
  topology::ProfileKey key;
  std::string date;                                 ///< ISO 8601, UTC
  bool partial = false;                             ///< interrupted before its end
  bool sampled = false;                             ///< not every pair was measured
  bool idle = true;                                 ///< no other program used the cpus
  double busy = 0;                                  ///< share of the cpus' time that others took, 0 to 1
  std::vector<std::string> doubts;                  ///< what speaks against it (doubts.hpp), a clause each
  std::vector<int> cpus;                            ///< OS number of each row of the matrices
  LatencyMatrix latency;                            ///< ns
  std::vector<std::vector<double>> latency_spread;  ///< as latency; empty where nothing was measured
  std::vector<std::vector<int>> line_home;          ///< OS number of the node of the pair's line; -1 unknown
  LatencyMatrix bandwidth;                          ///< GB/s
  Clustering seen;                                  ///< the structure that was found; rows are indices into cpus
  std::vector<Curve> curves;
  std::vector<int> node_os;       ///< OS number of each node of the tables in `summary`
  Measured summary;               ///< the values that a Machine takes from the profile (summary.cpp)
  std::optional<Machine> system;  ///< the machine as the system reported it
  std::vector<std::string> notes;
};

std::string profile_json(const Profile& profile);

/// The same, with `smt`, `chiplets`, `nodes`, `sockets` and `confidence` of a matrix alone.
std::string clustering_json(const Clustering& clustering);

/// \param name appears in errors.
/// \throws Error (bad_input) if it is not a profile of a known version.
Profile parse_profile(const std::string& text, const std::string& name);

/// The path of this machine's profile (topology::profile_folder).
/// \throws Error (bad_config) if no folder is known.
std::string profile_path(const topology::ProfileKey& key);

/// Writes the profile, completely or not at all; makes directories as needed.
/// \throws Error (system).
void store_profile(const Profile& profile, const std::string& path);

/// \throws Error (bad_input).
Profile load_profile(const std::string& path);

/// The medians of the measurement between cores, chiplets and nodes: chiplets from the clustering, nodes from the
/// system.
void summarise_profile(Profile& profile, const Machine& machine);

}  // namespace charm::probe
