// Controllers as values in one registry: a name, a description, the parameters, and a function that makes one. A new
// controller is one file and one line in controller.cpp; the runtime, `charm run` and the simulator then offer it.
//
// A controller is a state machine: it gets the signals of each tick and returns the spread to use. It has no clock, no
// counters and no threads of its own, so a run can be repeated by repeating its signals.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.hpp"
#include "controller/decision.hpp"
#include "controller/parameters.hpp"
#include "controller/setup.hpp"
#include "controller/signals.hpp"

namespace charm::controller {

class Controller {
 public:
  Controller() = default;
  virtual ~Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// \returns the spread (number of chiplets) to use from now on.
  virtual int tick(const Signals& signals) = 0;
  [[nodiscard]] virtual int spread() const = 0;
  /// By worker, where each decides for itself (then spread() is that of the most); empty: all stand at spread().
  [[nodiscard]] virtual std::span<const int> spreads() const { return {}; }
  /// By worker: whether it rests (controller/width.hpp); empty: none does.
  [[nodiscard]] virtual std::span<const char> resting() const { return {}; }
  /// Whether it stands where it means to stay, and compares nothing at the moment.
  [[nodiscard]] virtual bool settled() const { return true; }
  /// Its region was entered again.
  virtual void entered() {}
  /// The interval between ticks that the controller wants, in seconds.
  [[nodiscard]] virtual double period() const = 0;

  [[nodiscard]] const DecisionLog& log() const { return log_; }

 protected:
  DecisionLog log_;
};

struct ControllerType {
  std::string_view name;
  std::string_view summary;
  std::span<const Parameter> parameters;
  std::unique_ptr<Controller> (*make)(const Setup& setup, const Parameters& parameters);
  /// Whether it decides by the lines of other chiplets alone; null: it never does.
  bool (*needs_other_chiplets)(const Parameters& parameters) = nullptr;
};

/// All policies, in the order in which they are shown.
std::span<const ControllerType> policies();

/// The policy of that name. \throws Error (bad_config) that names the existing policies.
const ControllerType& policy(std::string_view name);

/// The names that a user may give as the policy: the controllers, then the placements that do not change.
std::vector<std::string_view> policy_names();

/// Makes a controller from "name" or "name:parameter=value,..."; from a placement policy's name, one that never moves.
std::unique_ptr<Controller> make_controller(std::string_view spec, const Setup& setup);

/// Whether the controller of `spec` may ever move a worker. \throws Error (bad_config).
bool moves(std::string_view spec);

/// Whether the controller of `spec` keeps its level where counters cannot tell the lines of other chiplets apart.
bool needs_other_chiplets(std::string_view spec);

/// The placement whose levels a controller by `spec` chooses from: a placement policy's own; Algorithm 2's for
/// charm-alg1; else the monotone family from its least level.
/// \throws Error (bad_config), and what the placement policies throw.
placement::Placement placement_for(std::string_view spec, const Machine& machine, const placement::Request& request);

}  // namespace charm::controller
