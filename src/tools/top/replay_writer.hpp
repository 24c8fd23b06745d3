// The replay writer: writes the measurements of charm top as a recording that a runtime can replay
// (counters/recording.hpp, CHARM_COUNTERS=replay:FILE). The workers of a CHARM program keep their numbers; the threads
// of others are numbered in the order in which they were found.
#pragma once

#include <fstream>
#include <set>
#include <string>
#include <unordered_map>

#include "counters/source.hpp"
#include "tools/top/watch.hpp"

namespace charm::top {

class ReplayWriter {
 public:
  /// \throws Error (bad_input) where the file cannot be written.
  ReplayWriter(const std::string& path, const counters::Description& description);

  /// One line for each thread. \throws Error (system) if the disk is full.
  void write(const Sample& sample);

 private:
  struct Known {
    int worker = 0;
    counters::Reading last;
    int cpu = -1;
    double cpu_s = 0;
  };
  int number_for(const os::ThreadView& thread, bool of_charm);

  std::ofstream out_;
  std::string path_;
  std::unordered_map<int, Known> known_;  // by tid
  std::set<int> given_;                   // numbers that have lines
  int next_ = 0;
};

/// The number in a worker's thread name, "charm-7"; -1 for other names.
int worker_number(const std::string& thread_name);

}  // namespace charm::top
