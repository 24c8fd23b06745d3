// What the targets of Kubernetes share: YAML, and the pod of a worker.
#pragma once

#include <string>

#include "tools/deploy/target.hpp"

namespace charm::deploy {

/// A string in YAML's double quotes, whose escapes are those of JSON.
std::string yaml_string(const std::string& text);

/// Names of pods and nodes are in lower case, and the kubelet writes that of its host so.
std::string lower_case(std::string name);

/// A pod of guaranteed quality with the worker's size, on its machine.
/// \param claim name of the ResourceClaim that its container has; empty: none.
std::string pod(const Worker& worker, const TargetOptions& options, const std::string& claim = "");

}  // namespace charm::deploy
