#include "controller/controller.hpp"

#include <charm/error.hpp>

#include "base/registry.hpp"
#include "controller/policies.hpp"
#include "placement/literal_map.hpp"
#include "placement/placement_policy.hpp"

namespace charm::controller {
namespace {

struct Spec {
  const ControllerType* controller;             // of a placement policy: static
  const placement::PlacementPolicy* placement;  // of a controller: nullptr
  Parameters parameters;
};

Spec parse(std::string_view spec) {
  auto colon = spec.find(':');
  std::string_view name = spec.substr(0, colon);
  std::string_view text = colon == std::string_view::npos ? "" : spec.substr(colon + 1);
  if (const ControllerType* found = base::find_named(policies(), name))
    return {found, nullptr, {name, found->parameters, text}};
  if (const auto* found = base::find_named(placement::policies(), name))
    return {&fixed_policy, found, {name, {}, text}};
  throw Error(Errc::bad_config, "unknown policy '" + std::string(name) + "'",
              "choose one of " + base::names_of(policies()) + ", " + base::names_of(placement::policies()));
}

}  // namespace

std::span<const ControllerType> policies() {
  static const ControllerType all[] = {adaptive_policy, alg1_policy, alg1_group_policy, fixed_policy};
  return all;
}

const ControllerType& policy(std::string_view name) { return base::named(policies(), name, "controller"); }

std::vector<std::string_view> policy_names() {
  std::vector<std::string_view> names;
  for (const ControllerType& each : policies()) names.push_back(each.name);
  for (const placement::PlacementPolicy& each : placement::policies()) names.push_back(each.name);
  return names;
}

std::unique_ptr<Controller> make_controller(std::string_view spec, const Setup& setup) {
  const Spec parsed = parse(spec);
  if (parsed.placement != nullptr) return fixed_policy.make(setup, {fixed_policy.name, fixed_policy.parameters, ""});
  return parsed.controller->make(setup, parsed.parameters);
}

bool moves(std::string_view spec) { return parse(spec).controller->name != fixed_policy.name; }

bool needs_other_chiplets(std::string_view spec) {
  const Spec parsed = parse(spec);
  const auto asks = parsed.controller->needs_other_chiplets;
  return parsed.placement == nullptr && asks != nullptr && asks(parsed.parameters);
}

placement::Placement placement_for(std::string_view spec, const Machine& machine, const placement::Request& request) {
  const Spec parsed = parse(spec);
  if (parsed.placement != nullptr) return parsed.placement->place(machine, request);
  const bool literal = parsed.controller->name == alg1_policy.name;
  return literal ? placement::literal_map(machine, request) : placement::policy("local").place(machine, request);
}

}  // namespace charm::controller
