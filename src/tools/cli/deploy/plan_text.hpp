// A plan as people read it.
#pragma once

#include <string>

#include "tools/deploy/plan.hpp"

namespace charm::cli {

std::string deploy_plan_text(const deploy::Plan& plan, bool colour);

}  // namespace charm::cli
