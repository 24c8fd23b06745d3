// How the ranks of a host divide its cores, and how they keep apart by leases.
#include "ranks/apart.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "lease/lease.hpp"

namespace charm::remote {
namespace {

TEST(RanksApart, EachHasItsOwnCoresAndTogetherTheyHaveAll) {
  const Machine machine = Machine::from("pack:2 l3:4 core:3 pu:2");
  for (int count = 1; count <= 24; ++count) {
    CpuSet all;
    for (int index = 0; index < count; ++index) {
      const CpuSet own = cpus_of_rank(machine, {index, count});
      EXPECT_FALSE(own.empty());
      EXPECT_TRUE((all & own).empty()) << count;
      all |= own;
    }
    EXPECT_EQ(all, machine.allowed_cpus) << count;
  }
}

TEST(RanksApart, ChipletsStayWholeWhereTheyDivideEvenly) {
  const Machine machine = Machine::from("pack:2 l3:4 core:3 pu:2");
  for (const int count : {2, 4, 8}) {
    for (const Chiplet& chiplet : machine.chiplets) {
      int owners = 0;
      for (int index = 0; index < count; ++index) {
        const CpuSet own = cpus_of_rank(machine, {index, count});
        bool any = false;
        for (const int core : chiplet.cores)
          any = any || own.contains(machine.cores[static_cast<std::size_t>(core)].cpu);
        owners += any ? 1 : 0;
      }
      EXPECT_EQ(owners, 1) << count;
    }
  }
}

TEST(RanksApart, MoreRanksThanCoresTakeTurns) {
  const Machine machine = Machine::from("pack:1 core:2 pu:1");
  EXPECT_EQ(cpus_of_rank(machine, {0, 3}), cpus_of_rank(machine, {2, 3}));
  EXPECT_NE(cpus_of_rank(machine, {0, 3}), cpus_of_rank(machine, {1, 3}));
}

TEST(RanksApart, EachStartsAWorkerForEachCoreOfItsPartWithinTheQuota) {
  Machine machine = Machine::from("pack:2 l3:4 core:3 pu:2");
  EXPECT_EQ(workers_of_rank(machine, {0, 1}), 24);
  EXPECT_EQ(workers_of_rank(machine, {1, 2}), 12);
  EXPECT_EQ(workers_of_rank(machine, {0, 5}) + workers_of_rank(machine, {1, 5}), 9);
  machine.cpu_quota = 2.5;
  EXPECT_EQ(workers_of_rank(machine, {1, 2}), 3);
}

TEST(RanksApart, TheyLeaseUnlessTheSettingsOrTheHostForbidIt) {
  const Machine machine = Machine::from("pack:1 core:4 pu:1");
  base::Settings settings;
  settings.policy = "local";
  EXPECT_TRUE(leasing(machine, {1, 4, true}, settings).possible);
  EXPECT_NE(leasing(machine, {1, 5, true}, settings).reason.find("5 ranks take turns on 4 cores"), std::string::npos);
  EXPECT_NE(leasing(machine, {1, 4, false}, settings).reason.find("cannot use one table"), std::string::npos);
  for (const char* forbidden : {"share", "policy", "bind"}) {
    base::Settings other = settings;
    if (*forbidden == 's') other.share.choice = base::Share::off;
    if (*forbidden == 'p') other.policy = "os";
    if (*forbidden == 'b') other.bind = base::Bind::none;
    EXPECT_FALSE(leasing(machine, {1, 2, true}, other).possible) << forbidden;
    EXPECT_EQ(leasing(machine, {1, 2, true}, other).reason, "") << forbidden;
  }
}

/// The ranks of a host, and other programs, as holders of leases. They look in turns, as the programs do.
class LeasingRanks {
 public:
  explicit LeasingRanks(const char* machine) : machine_(Machine::from(machine)) {}
  void start(const Machine& on, int want) {
    wants_.push_back(want);
    holders_.push_back(std::make_unique<lease::Lease>(folder_.path("leases"), on, 100, want));
  }
  void start_ranks(int count) {
    for (int index = 0; index < count; ++index) start(machine_, workers_of_rank(machine_, {index, count}));
  }
  /// \return whether all have what they are due, within a few turns.
  bool settle() {
    for (int turn = 0; turn < 4; ++turn) {
      bool settled = true;
      for (std::size_t i = 0; i < holders_.size(); ++i) {
        holders_[i]->give_back(holders_[i]->look(wants_[i]).give_up);
        settled = settled && static_cast<int>(cores(i).size()) == holders_[i]->standing().due;
      }
      if (settled) return true;
    }
    return false;
  }
  [[nodiscard]] CoreCpuSet cores(std::size_t holder) const { return holders_[holder]->standing().holds; }
  void expect_apart() const {
    for (std::size_t a = 0; a < holders_.size(); ++a) {
      EXPECT_FALSE(cores(a).empty());
      for (std::size_t b = 0; b < a; ++b) EXPECT_FALSE(cores(a).intersects(cores(b))) << a << " and " << b;
    }
  }
  /// The chiplets on which several holders have cores.
  [[nodiscard]] int divided_chiplets() const {
    int divided = 0;
    for (const Chiplet& chiplet : machine_.chiplets) {
      int owners = 0;
      for (const auto& holder : holders_) {
        bool any = false;
        for (const int core : chiplet.cores)
          any = any || holder->standing().holds.contains(machine_.cores[static_cast<std::size_t>(core)].cpu);
        owners += any ? 1 : 0;
      }
      divided += owners > 1 ? 1 : 0;
    }
    return divided;
  }
  [[nodiscard]] const Machine& machine() const { return machine_; }

 private:
  test::Folder folder_;
  Machine machine_;
  std::vector<int> wants_;
  std::vector<std::unique_ptr<lease::Lease>> holders_;
};

TEST(LeasingRanks, DivideTheMachineInWholeChiplets) {
  for (const int count : {2, 3, 4}) {
    LeasingRanks ranks("pack:2 l3:6 core:4 pu:2");
    ranks.start_ranks(count);
    EXPECT_TRUE(ranks.settle()) << count;
    ranks.expect_apart();
    EXPECT_EQ(ranks.divided_chiplets(), 0) << count;
    for (int index = 0; index < count; ++index)
      EXPECT_EQ(ranks.cores(static_cast<std::size_t>(index)).size(), 48U / count);
  }
}

TEST(LeasingRanks, MakeRoomForAProgramBesideThem) {
  for (const int count : {2, 3, 4}) {
    LeasingRanks ranks("pack:2 l3:6 core:4 pu:2");
    ranks.start_ranks(count);
    ASSERT_TRUE(ranks.settle());
    ranks.start(ranks.machine(), 48);  // such as charm run, which wants the whole machine at first
    EXPECT_TRUE(ranks.settle()) << count;
    ranks.expect_apart();
    EXPECT_EQ(ranks.cores(static_cast<std::size_t>(count)).size(), 48U / (static_cast<unsigned>(count) + 1)) << count;
  }
}

TEST(LeasingRanks, StayWithinTheCpusThatTheyAreBoundTo) {
  LeasingRanks ranks("pack:2 l3:6 core:4 pu:2");
  // mpirun --map-by socket: each socket has two ranks that may use exactly its cpus.
  std::vector<Machine> sockets(2, ranks.machine());
  for (std::size_t socket = 0; socket < 2; ++socket) {
    std::erase_if(sockets[socket].cores, [&](const Core& core) { return core.socket != static_cast<int>(socket); });
    for (int index = 0; index < 2; ++index) ranks.start(sockets[socket], workers_of_rank(sockets[socket], {index, 2}));
  }
  ranks.start(ranks.machine(), 8);
  EXPECT_TRUE(ranks.settle());
  ranks.expect_apart();
  for (std::size_t rank = 0; rank < 4; ++rank) {
    for (const int cpu : ranks.cores(rank))
      EXPECT_EQ(ranks.machine().core_of_cpu(cpu)->socket, static_cast<int>(rank / 2));
  }
}

}  // namespace
}  // namespace charm::remote
