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

using Pair = std::pair<int, int>;

TEST(CoreSelection, FillsItsOwnChipletThenItsSocketThenWhatIsEmptiest) {
  const CoreSelection selection(charm::test::uniform(2, 2, 4));  // chiplets of cpus 0-3, 4-7, 8-11, 12-15
  EXPECT_EQ(selection.choose({12}, selection.cores() - CoreCpuSet{12}, {}, {}, 3), (CoreCpuSet{13, 14, 15}));
  // Of the second chiplet less is free than of the third, but it is on the socket of what was just chosen.
  EXPECT_EQ(selection.choose({}, {0, 1, 2, 3, 4, 5, 8, 9, 10, 11}, {}, {}, 6), (CoreCpuSet{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(selection.choose({}, {4, 5, 8, 9, 10, 11}, {0}, {}, 4), (CoreCpuSet{8, 9, 10, 11})) << "away from others";
  EXPECT_EQ(selection.choose({}, {1, 2, 5, 6}, {0}, {7}, 2), (CoreCpuSet{1, 2}))
      << "rather beside others than beside load";
  EXPECT_EQ(selection.choose({}, selection.cores(), {}, {}, 0), CoreCpuSet{});
  EXPECT_EQ(selection.choose({}, {3}, {}, {}, 2), CoreCpuSet{3});
}

TEST(CoreSelection, GivesUpWhatIsUsefulThenWhatIsBusyThenWhatItSharesOrHasLeastOf) {
  const CoreSelection selection(charm::test::uniform(2, 2, 4));
  EXPECT_EQ(selection.surrender({0, 1, 2, 3, 4}, {}, {1}, {2}, 1), CoreCpuSet{1}) << "useful to one who is short";
  EXPECT_EQ(selection.surrender({0, 1, 2, 3, 4}, {}, {1}, {2}, 2), (CoreCpuSet{1, 2}));
  EXPECT_EQ(selection.surrender({0, 1, 2, 3, 4}, {}, {}, {}, 1), CoreCpuSet{4}) << "alone on its chiplet";
  EXPECT_EQ(selection.surrender({0, 1, 2, 4, 5}, {3}, {}, {}, 1), CoreCpuSet{2}) << "beside others";
  EXPECT_EQ(selection.surrender({0, 1, 2, 3, 4, 12, 13}, {}, {}, {}, 2), (CoreCpuSet{12, 13})) << "far from the rest";
  EXPECT_EQ(selection.surrender({0, 1}, {}, {}, {}, 5), (CoreCpuSet{0, 1}));
}

TEST(CoreSelection, ExchangesABusyCoreForAQuietOne) {
  const CoreSelection selection(charm::test::uniform(1, 4, 4));
  EXPECT_EQ(selection.quieter({4, 5, 6}, {0, 7}, {}, {4}), Pair(4, 7)) << "on its chiplet";
  EXPECT_EQ(selection.quieter({4}, {0, 1, 8}, {2}, {4, 9}), Pair(4, 0)) << "beside others, not beside load";
  EXPECT_EQ(selection.quieter({4}, {0}, {}, {0, 4}), std::nullopt) << "the free one is as busy";
  EXPECT_EQ(selection.quieter({4}, {0}, {}, {}), std::nullopt);
  EXPECT_EQ(selection.quieter({4}, {}, {}, {4}), std::nullopt);
}

}  // namespace
