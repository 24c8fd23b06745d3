// The policies that controller.cpp registers; each is defined in the file of its name.
#pragma once

#include "controller/controller.hpp"

namespace charm::controller {

extern const ControllerType adaptive_policy, alg1_policy, alg1_group_policy, fixed_policy;

}  // namespace charm::controller
