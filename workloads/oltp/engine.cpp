#include "workloads/oltp/engine.hpp"

#include <charm/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workloads/oltp/names.hpp"

namespace charm::workloads::oltp {

void require_engine(const std::string& name) {
#ifdef CHARM_OLTP_WIREDTIGER
  if (name == "wiredtiger") return;
#endif
#ifdef CHARM_OLTP_ROCKSDB
  if (name == "rocksdb") return;
#endif
  for (const auto& [engine, package] : {std::pair("wiredtiger", "libwiredtiger-dev"), {"rocksdb", "librocksdb-dev"}}) {
    if (name == engine)
      throw Error(Errc::bad_config, fmt::format("this build has no engine '{}': {} was not there", name, package),
                  fmt::format("install {} (scripts/setup oltp), and build CHARM again", package));
  }
  throw Error(Errc::bad_config, fmt::format("engine '{}' is unknown", name),
              fmt::format("take one of {}", fmt::join(oltp_engines(), ", ")));
}

std::unique_ptr<Engine> open_engine(const std::string& name, [[maybe_unused]] const EngineOptions& options) {
  require_engine(name);
#ifdef CHARM_OLTP_ROCKSDB
  if (name == "rocksdb") return open_rocksdb(options);
#endif
#ifdef CHARM_OLTP_WIREDTIGER
  return open_wiredtiger(options);
#else
  return nullptr;
#endif
}

std::string engine_version(const std::string& name) {
  require_engine(name);
#ifdef CHARM_OLTP_ROCKSDB
  if (name == "rocksdb") return rocksdb_release();
#endif
#ifdef CHARM_OLTP_WIREDTIGER
  return wiredtiger_release();
#else
  return {};
#endif
}

}  // namespace charm::workloads::oltp
