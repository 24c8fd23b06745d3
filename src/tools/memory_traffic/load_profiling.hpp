// Measuring what buses and controllers still give under load (TAPMM §3.2): of every type one is loaded in steps, while
// other cores read through it as fast as they can. The bandwidth that these reach is fitted to the traffic (fit.hpp).
// The measurement is an argument, so that tests can measure a machine that is a model.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/memory_traffic/model.hpp"

namespace charm::memory_traffic {

/// Which cores read what. Nodes by OS number.
struct BusLoad {
  std::vector<int> readers = {};   ///< nodes whose cores read: some as the load, the others as fast as they can
  std::vector<int> memories = {};  ///< that they read, the same part of each
  int domain = -1;                 ///< whose bus is loaded: index in the model; -1: a controller is
  int memory = -1;                 ///< whose controller is loaded: index in the model; -1: a bus is
  double cores = 0.5;              ///< part of the cores that are the load
  double part = 0;                 ///< of what these can read, which they do read; 0: they rest
};

/// \return the traffic of the load alone, and what the other cores read beside it; nothing where the readers have too
/// few cores to be divided.
using LoadProber = std::function<std::optional<LoadPoint>(const BusLoad& load)>;

/// Measures one bus of every type that limits transfers, and one controller of every type, and puts the fits into the
/// model. What could not be measured, or not be fitted to the threshold, becomes a note. A model of one memory stays as
/// it is: there is nothing to choose. \param threshold of fit(). \param doing is called with what comes next.
void measure_under_load(Model& model, const LoadProber& prober, double threshold = 0.05,
                        const std::function<void(const std::string&)>& doing = {});

}  // namespace charm::memory_traffic
