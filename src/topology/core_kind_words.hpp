// The words for kinds of cores, in descriptions, options and what commands print.
#pragma once

#include <charm/machine.hpp>

#include <array>

#include "base/choice.hpp"

namespace charm {

constexpr auto choices(CoreKind /*unused*/) {
  using base::Choice;
  return std::array{Choice{CoreKind::performance, "performance"}, Choice{CoreKind::middle, "middle"},
                    Choice{CoreKind::efficiency, "efficiency"}, Choice{CoreKind::low_power, "low-power"}};
}

}  // namespace charm
