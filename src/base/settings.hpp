// Settings, resolved from code, environment and file by one schema (settings.cpp), which contains the names, defaults,
// ranges and documentation of every setting.
#pragma once

#include <charm/config.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/setting_choices.hpp"

namespace charm::base {

struct Settings {
  int workers = 0;  // 0: every allowed physical core
  std::string policy;
  SocketOrder sockets = SocketOrder::widen;
  int spread = 0;
  Smt smt = Smt::off;
  bool share_cores = false;
  std::string topology;
  std::string profile;
  std::string domains;
  std::string kinds;
  std::size_t stack_bytes = 0;
  int spin_us = 0;
  Bind bind = Bind::core;
  bool lend_caller = true;
  CallerMask caller_mask = CallerMask::own;
  int blocking_threads = 0;
  Deadlock deadlock = Deadlock::report;
  std::string trace;
  std::size_t trace_bytes = 0;
  bool decision_file = false;
  ChoiceWithFile<Counters> counters;  // with the file to replay or record
  std::string counter_events;         // SOURCE=EVENT list; empty: the catalogue's
  WorkerMemory memory_policy = WorkerMemory::preferred;
  Home home = Home::near;
  Surplus surplus = Surplus::rest;
  Width width = Width::full;
  Stealing stealing = Stealing::near;
  Monitor monitor = Monitor::program;
  int watch_ms = 0;             // between two checks of the allowed cpus; 0: never
  ChoiceWithFile<Share> share;  // the file is the table of leases
  int share_weight = 100;
  [[nodiscard]] bool counts_siblings() const { return smt != Smt::off; }
  [[nodiscard]] bool adapts_width() const { return width == Width::adaptive || smt == Smt::automatic; }

  struct Origin {
    std::string name, value, from;
    friend bool operator==(const Origin&, const Origin&) = default;
  };  // from: "code", "CHARM_WORKERS", "FILE:LINE" or "default"
  std::vector<Origin> origins;  // in the order of the schema

  friend bool operator==(const Settings&, const Settings&) = default;
};

struct SettingDoc {
  std::string name, default_value, doc, variable, accepts;
};

/// The value of the setting share, or of the option --share, from text; nothing if the text is not accepted.
std::optional<ChoiceWithFile<Share>> share_named(const std::string& text);

/// The setting as text: "auto", "replay:FILE".
std::string counters_text(const ChoiceWithFile<Counters>& counters);

/// The documentation of all settings, in the order of the schema.
std::vector<SettingDoc> settings_schema();

/// A setting of the running runtime that differs from the one asked for.
struct Difference {
  std::string name, running, from, wanted;  // `from` where the running value came from
};

/// The first setting that `code` gives and that differs in `running`; settings that `code` does not give are not
/// compared.
/// \param workers the running number of workers, which `code` may ask for whatever the setting was.
/// \throws Error (bad_config) as resolve() does, for what `code` gives.
std::optional<Difference> difference(const Settings& running, int workers, const Config& code);

/// \param env looks a variable up and returns nullptr where it is unset; base::environment by default, a fake in tests.
/// \throws Error (bad_config) that names the setting, its value, where it came from and what is accepted.
Settings resolve(const Config& code, const std::function<const char*(const char*)>& env = {});

}  // namespace charm::base
