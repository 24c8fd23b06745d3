#include "controller/policy.hpp"

#include <charm/error.hpp>

#include <string>

#include "controller/policies.hpp"
#include "placement/literal_map.hpp"
#include "placement/policy.hpp"

namespace charm::controller {
namespace {

struct Spec {
  const Policy& policy;
  Parameters parameters;
};

Spec parse(std::string_view spec) {
  auto colon = spec.find(':');
  const Policy& found = policy(spec.substr(0, colon));
  return {found, {found.name, found.parameters, colon == std::string_view::npos ? "" : spec.substr(colon + 1)}};
}

}  // namespace

std::span<const Policy> policies() {
  static const Policy all[] = {adaptive_policy, alg1_policy, fixed_policy};
  return all;
}

const Policy& policy(std::string_view name) {
  std::string known;
  for (const Policy& candidate : policies()) {
    if (candidate.name == name) return candidate;
    known += (known.empty() ? "" : ", ") + std::string(candidate.name);
  }
  throw Error(Errc::bad_config, "unknown controller '" + std::string(name) + "'", "choose one of " + known);
}

std::unique_ptr<Controller> make_controller(std::string_view spec, const Setup& setup) {
  auto [found, parameters] = parse(spec);
  return found.make(setup, parameters);
}

placement::Placement placement_for(std::string_view spec, const Machine& machine, const placement::Request& request) {
  auto [found, parameters] = parse(spec);
  bool literal = found.name == alg1_policy.name && parameters.word("map") == "literal";
  return literal ? placement::literal_map(machine, request) : placement::policy("local").place(machine, request);
}

}  // namespace charm::controller
