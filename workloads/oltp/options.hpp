// What `charm bench oltp` runs on and how, with defaults.
#pragma once

#include <cstdint>
#include <string>

namespace charm::workloads {

struct OltpOptions {
  std::string engine = "wiredtiger";
  std::string data = {};  ///< folder below which databases are made and kept; empty: in the user's cache folder
  std::int64_t records = 1000000;
  std::int64_t warehouses = 2;
  int key_bytes = 24;
  int value_bytes = 100;
  std::string distribution = "zipfian";
  std::string durability = "buffered";
  double duration = 1;   ///< of a trial, in seconds
  double warm_up = .25;  ///< before the trial, in seconds
  std::uint64_t seed = 1;
  int workers = 1;  ///< of every runtime: the sessions
};

}  // namespace charm::workloads
