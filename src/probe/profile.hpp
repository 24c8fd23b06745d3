// What was measured of a machine, and the file it is kept in: JSON with a version, keyed by the machine and by the cpus
// that were measured, under the XDG data directory. A profile of another machine or of other cpus is refused with the
// reason; an interrupted one is marked as partial.
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <vector>

#include "probe/clustering.hpp"
#include "probe/latency_matrix.hpp"
#include "probe/samples.hpp"

namespace charm::probe {

inline constexpr int profile_version = 1;

/// What has to agree for a profile to speak of a machine.
struct MachineKey {
  std::string name;                                 ///< processor or product
  int cpus = 0, cores = 0, nodes = 0, sockets = 0;  ///< that exist
  std::vector<int> measured_cpus;                   ///< that could be used
  friend bool operator==(const MachineKey&, const MachineKey&) = default;
};

MachineKey key_of(const Machine& machine);

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
  MachineKey key;
  std::string date;                                 ///< ISO 8601, UTC
  bool partial = false;                             ///< interrupted before its end
  bool sampled = false;                             ///< not every pair was measured
  bool idle = true;                                 ///< nobody else was using the cpus
  std::vector<int> cpus;                            ///< OS number of each row of the matrices
  LatencyMatrix latency;                            ///< ns
  std::vector<std::vector<double>> latency_spread;  ///< as latency; empty where nothing was measured
  std::vector<std::vector<int>> line_home;          ///< OS number of the node of the pair's line; -1 unknown
  LatencyMatrix bandwidth;                          ///< GB/s
  Clustering seen;                                  ///< rows are indices into cpus
  std::vector<Curve> curves;
  std::vector<std::string> notes;
};

std::string profile_json(const Profile& profile);

/// The same, with `smt`, `chiplets`, `nodes`, `sockets` and `confidence` of a matrix alone.
std::string clustering_json(const Clustering& clustering);

/// \param name stands in errors.
/// \throws Error (bad_input) where it is no profile of a version that is understood.
Profile parse_profile(const std::string& text, const std::string& name);

/// $XDG_DATA_HOME/charm/profiles/NAME-HASH.json, or the same below ~/.local/share.
std::string profile_path(const MachineKey& key);

/// Writes it whole or not at all, making directories as needed.
/// \throws Error (system).
void store_profile(const Profile& profile, const std::string& path);

/// \throws Error (bad_input).
Profile load_profile(const std::string& path);

/// Why `profile` does not speak of `machine`; empty where it does.
std::string mismatch(const Profile& profile, const Machine& machine);

/// The machine with what was measured: chiplets where the system shows none, distances between nodes where it tells
/// none, and a note for each disagreement.
/// \throws Error (refused) with the reason where the profile is of another machine or of other cpus.
Machine apply_profile(Machine machine, const Profile& profile);

}  // namespace charm::probe
