// Readings of traffic as text: a line of names, then a line of numbers for each reading.
//
//   # charm traffic 1
//   seconds,memory:0,memory:1,out:socket0,in:socket0
//   0.1,12.5,3,0,4.25
//
// `seconds` since the beginning, ascending; traffic in GB/s. `memory` has the NUMA node's number, `out` and `in` the
// name of the model's domain. Names that the model does not have are refused, because the recording is of another
// machine then.
#pragma once

#include <string>
#include <vector>

#include "tools/memory_traffic/model.hpp"

namespace charm::memory_traffic {

struct RecordedTraffic {
  double seconds = 0;
  Bandwidths used;
};

/// \param name stands in errors. \throws Error (bad_input) with the line.
std::vector<RecordedTraffic> recorded_traffic(const Model& model, const std::string& text, const std::string& name);

/// The two lines in front, and the line of a reading.
std::string traffic_heading(const Model& model);
std::string traffic_line(const RecordedTraffic& reading);

}  // namespace charm::memory_traffic
