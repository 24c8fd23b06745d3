// A measured profile (docs/probe.md), as far as the topology needs it: which machine and cpus were measured, the
// chiplets that were found, latencies and bandwidths between nodes. Only the probe reads the matrices and curves of the
// same file: start-up stops reading before them.
//
// A profile is used for a machine only if it was measured on one with the same key; any other is refused with the
// reason.
#pragma once

#include <charm/machine.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace charm::topology {

inline constexpr int profile_version = 2;

/// The properties in which a profile and the machine have to agree.
struct ProfileKey {
  std::string name;                                 ///< processor or product
  int cpus = 0, cores = 0, nodes = 0, sockets = 0;  ///< numbers of all that exist
  CpuSet measured_cpus;                             ///< the cpus that could be used
  friend bool operator==(const ProfileKey&, const ProfileKey&) = default;
};

ProfileKey key_of(const Machine& machine);

struct ProfilePicture {
  std::string file;
  ProfileKey key;
  std::string date;
  bool partial = false;
  std::vector<std::string> doubts;         ///< what speaks against it; with any, it is shown and changes nothing
  std::vector<int> cpus;                   ///< OS number of each row
  std::vector<std::vector<int>> chiplets;  ///< rows
  double chiplet_confidence = 0;
  std::vector<int> node_os;        ///< OS number of each node of the tables in `measured`
  Measured measured;               ///< tables by `node_os`
  std::optional<Machine> machine;  ///< the machine as the system reported it when it was measured
};

/// Reads the file up to its matrices.
/// \throws Error (bad_input) with the file and what is wrong with it.
ProfilePicture read_profile_picture(const std::string& path);

/// The same from text; `name` appears in errors.
ProfilePicture parse_profile_picture(const std::string& text, const std::string& name);

/// Whether a file looks like a profile, by its first bytes.
bool is_profile(const std::string& path);

/// Whether JSON is what lscpu writes (-J), whose first key says so.
bool is_of_lscpu(std::string_view text);

/// $XDG_DATA_HOME/charm/profiles, or the same below ~/.local/share; nothing if neither variable is set.
std::optional<std::string> profile_folder();

/// NAME-HASH.json within the folder: one file per machine and set of usable cpus.
std::string profile_file_name(const ProfileKey& key);

/// Why a profile does not apply to `machine`; empty if it does.
std::string mismatch(const ProfileKey& key, const Machine& machine);

/// The machine with the measurement added: chiplets and distances between nodes if the system reports none, latencies
/// and bandwidths, and a note for each disagreement.
Machine apply_profile(Machine machine, const ProfilePicture& picture);

/// The stored profile of this machine, if there is one; else why the profiles of the same processor do not fit.
struct StoredProfile {
  std::optional<ProfilePicture> picture;
  std::string refusal;  ///< why profiles do not fit; empty if there is none
};
StoredProfile find_stored_profile(const Machine& machine);

}  // namespace charm::topology
