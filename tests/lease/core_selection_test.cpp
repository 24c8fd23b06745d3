// Which cores a holder takes and gives up on a machine with several kinds of cores.
#include "lease/core_selection.hpp"

#include <gtest/gtest.h>

#include "placement/machines.hpp"

namespace {

using charm::CoreCpuSet;
using charm::lease::CoreSelection;

/// Two chiplets of two slow cores (0, 1 and 4, 5) and two fast ones.
charm::Machine two_kinds() {
  charm::Machine machine = charm::test::uniform(1, 2, 4);
  for (const std::size_t slow : {0U, 1U, 4U, 5U}) machine.cores[slow].kind = charm::CoreKind::efficiency;
  return machine;
}

TEST(CoreSelection, TakesFastCoresFirstAndGivesThemUpLast) {
  const CoreSelection selection(two_kinds());
  EXPECT_EQ(selection.choose({}, selection.cores(), {}, {}, 4), (CoreCpuSet{2, 3, 6, 7}));
  EXPECT_EQ(selection.choose({}, selection.cores(), {}, {}, 6).size(), 6U);
  EXPECT_EQ(selection.choose({}, selection.cores(), {}, {2, 3}, 3), (CoreCpuSet{4, 6, 7})) << "busy ones are worse";
  EXPECT_EQ(selection.surrender(selection.cores(), {}, {}, {}, 2), (CoreCpuSet{4, 5}));
}

}  // namespace
