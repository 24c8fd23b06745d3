#include "workloads/oltp/engine.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workloads/oltp/names.hpp"

namespace charm::workloads::oltp {
namespace {

/// An engine that there is an adapter for; the functions are null where the build lacks it.
struct Adapter {
  const char* package;
  std::unique_ptr<Engine> (*open)(const EngineOptions&) = nullptr;
  std::string (*release)() = nullptr;
};

/// In the order of oltp_engine_names.
constexpr std::array adapters = {
#ifdef CHARM_OLTP_WIREDTIGER
    Adapter{"libwiredtiger-dev", open_wiredtiger, wiredtiger_release},
#else
    Adapter{"libwiredtiger-dev"},
#endif
#ifdef CHARM_OLTP_ROCKSDB
    Adapter{"librocksdb-dev", open_rocksdb, rocksdb_release},
#else
    Adapter{"librocksdb-dev"},
#endif
};
static_assert(adapters.size() == oltp_engine_names.size());

/// "; or take --engine rocksdb"; empty if there is none.
std::string other_engines() {
  std::string names;
  for (std::size_t i = 0; i < adapters.size(); ++i) {
    if (adapters.at(i).open != nullptr)
      names += fmt::format("{}{}", names.empty() ? "" : " or ", oltp_engine_names.at(i));
  }
  return names.empty() ? names : "; or take --engine " + names;
}

const Adapter& adapter(const std::string& name) {
  const auto found = std::find(oltp_engine_names.begin(), oltp_engine_names.end(), name);
  if (found == oltp_engine_names.end())
    throw Error(Errc::bad_config, fmt::format("engine '{}' is unknown", name),
                fmt::format("take one of {}", fmt::join(oltp_engine_names, ", ")));
  const Adapter& there = adapters.at(static_cast<std::size_t>(found - oltp_engine_names.begin()));
  if (there.open == nullptr)
    throw Error(
        Errc::bad_config, fmt::format("this build has no engine '{}': {} was not there", name, there.package),
        fmt::format("install {} (scripts/setup oltp), and build CHARM again{}", there.package, other_engines()));
  return there;
}

}  // namespace

void require_engine(const std::string& name) { adapter(name); }

std::unique_ptr<Engine> open_engine(const std::string& name, const EngineOptions& options) {
  return adapter(name).open(options);
}

std::string engine_version(const std::string& name) { return adapter(name).release(); }

}  // namespace charm::workloads::oltp
