#include "workloads/oltp/engine.hpp"

#include <charm/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workloads/oltp/names.hpp"

namespace charm::workloads::oltp {

void require_engine(const std::string& name) {
  if (name != "wiredtiger")
    throw Error(Errc::bad_config, fmt::format("engine '{}' is unknown", name),
                fmt::format("take one of {}", fmt::join(oltp_engines(), ", ")));
#ifndef CHARM_OLTP_WIREDTIGER
  throw Error(Errc::bad_config, "this build has no engine 'wiredtiger': libwiredtiger-dev was not there",
              "install libwiredtiger-dev (scripts/setup oltp), and build CHARM again");
#endif
}

std::unique_ptr<Engine> open_engine(const std::string& name, [[maybe_unused]] const EngineOptions& options) {
  require_engine(name);
#ifdef CHARM_OLTP_WIREDTIGER
  return open_wiredtiger(options);
#else
  return nullptr;
#endif
}

std::string engine_version(const std::string& name) {
  require_engine(name);
#ifdef CHARM_OLTP_WIREDTIGER
  return wiredtiger_release();
#else
  return {};
#endif
}

}  // namespace charm::workloads::oltp
