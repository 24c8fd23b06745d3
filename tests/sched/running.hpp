// A runtime for the length of a test. Workers may share cores, so that tests of four workers run on a machine of two.
#pragma once

#include <charm/charm.hpp>

struct Running {
  explicit Running(int workers, charm::Config config = {}) {
    config.workers = workers;
    config.share_cores = true;
    charm::init(config);
  }
  ~Running() { charm::finalize(); }
};
