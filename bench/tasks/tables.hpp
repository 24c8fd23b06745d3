// The rows of bench-tasks and the forms they are printed in.
#pragma once

#include <vector>

#include "cases.hpp"

namespace charm::bench {

struct Row {
  const Case* origin;
  int workers;
  std::vector<double> values;  ///< one a trial, of the same trials in all rows
  long peak_rss_bytes = 0;
};

/// The serial version of a program: no peer, and the same for all numbers of workers.
inline bool is_serial(const Case& c) { return c.runtime == "serial"; }

// Each prints to standard output; a program's rows stand together.
/// \param colour rows in which CHARM is behind its best peer in red.
void print_text(const std::vector<Row>& rows, bool colour);
void print_json(const std::vector<Row>& rows);
/// CHARM beside its best peer, ratios by trial, for a page.
void print_markdown(const std::vector<Row>& rows);

}  // namespace charm::bench
