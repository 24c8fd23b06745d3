// Recordings of readings: lines of comma-separated values, one for each reading, after a line of names. The format is
// in docs/counters.md. Writing and reading back gives the same values.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "counters/source.hpp"

namespace charm::counters {

struct Recording {
  std::vector<FillClass> classes;
  std::map<int, std::vector<Reading>> workers;  ///< in the order of time
  struct PressureLine {
    std::uint64_t time_ns = 0;
    Pressure pressure;
  };
  std::vector<PressureLine> pressure;
};

/// The lines before the first reading.
std::string recording_header(const Description& description);
std::string recording_line(int worker, const Reading& reading);
std::string recording_line(std::uint64_t time_ns, const Pressure& pressure);

/// \param name for errors. \throws Error (bad_input) that names the line and what is wrong with it.
Recording read_recording(std::istream& in, const std::string& name);

}  // namespace charm::counters
