// Systems that the user has built, called as rows of `charm bench`: the same input in the form that they read, as many
// threads, their own line of time read from what they print. How each is called is with its workload
// (bench/workloads/*_run.cpp); what makes a comparison fair is in docs/design/peers.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace charm::cli {

/// A folder in the one for temporary files, removed with all that is in it.
class PeerFolder {
 public:
  /// \throws Error (system).
  PeerFolder();
  ~PeerFolder();
  PeerFolder(const PeerFolder&) = delete;
  PeerFolder& operator=(const PeerFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct PeerCall {
  std::vector<std::string> words;           ///< the program and its arguments
  std::vector<std::string> variables = {};  ///< "NAME=value", besides OMP_NUM_THREADS
  int threads = 1;
};

struct PeerSaid {
  std::string text;   ///< both of its streams
  double wall_s = 0;  ///< of the whole process
  std::uint64_t peak_bytes = 0;
};

/// Runs it to its end. \throws Error (system) with its last line if it fails.
PeerSaid run_peer(const PeerCall& call);

/// The numbers in the first group of a pattern (ECMAScript), in the order in which they were printed. \throws Error
/// (system) if there are fewer than `least`.
std::vector<double> printed(const PeerSaid& said, const std::string& pattern, std::size_t least = 1);

/// The program in a folder, or the one that was named itself. \throws Error (bad_input) if there is none.
std::string program_in(const std::string& folder_or_program, const std::string& name);

}  // namespace charm::cli
