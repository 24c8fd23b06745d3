#include "tools/deploy/command.hpp"

#include <charm/error.hpp>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.hpp"

namespace {

using namespace charm;
using namespace charm::deploy;
using charm::test::code_of;

using Words = std::vector<std::string>;

Worker some_worker() {
  Worker worker;
  worker.name = "node7-w12";
  worker.host = "node7";
  worker.cpus = CpuSet{0, 1, 2};
  worker.cores = CoreSet{0, 1, 2};
  worker.nodes = OsNodeSet{1};
  worker.memory = deploy::Memory::bind;
  worker.memory_bytes = std::uint64_t{3} << 30U;
  worker.heap_bytes = std::uint64_t{2} << 30U;
  worker.port = 20024;
  worker.web_port = 20025;
  worker.directory = "/a b/w12";
  return worker;
}

TEST(Command, IsSplitAsAShellSplitsWords) {
  EXPECT_EQ(split_words("  a  b\tc\n"), (Words{"a", "b", "c"}));
  EXPECT_EQ(split_words(R"(a 'b "c' "d 'e" f\ g "" "h\"i")"), (Words{"a", "b \"c", "d 'e", "f g", "", "h\"i"}));
  EXPECT_TRUE(split_words(" ").empty());
  EXPECT_EQ(code_of([] { split_words("a 'b"); }), Errc::bad_config);
}

TEST(Command, HasTheWorkersOwnValues) {
  EXPECT_EQ(
      command_of("x -p {port},{web_port} {dir} {index} {name}@{host} {cpus}/{cores} {nodes} {memory_mb} {heap_mb}",
                 some_worker()),
      (Words{"x", "-p", "20024,20025", "/a b/w12", "12", "node7-w12@node7", "0-2/3", "1", "3072", "2048"}));
  EXPECT_EQ(command_of("awk '{{print}}'", some_worker()), (Words{"awk", "{print}"}));
}

TEST(Command, IsRefusedWithAnUnknownPlaceholderOrNoMemoryToName) {
  EXPECT_EQ(code_of([] { command_of("x {prot}", some_worker()); }), Errc::bad_config);
  EXPECT_EQ(code_of([] { command_of("x {port", some_worker()); }), Errc::bad_config);
  EXPECT_EQ(code_of([] { command_of("''", some_worker()); }), Errc::bad_config);
  Worker untold = some_worker();
  untold.memory_bytes = 0;
  EXPECT_EQ(code_of([&] { command_of("x {heap_mb}", untold); }), Errc::bad_config);
}

TEST(Command, IsQuotedForTheShell) {
  EXPECT_EQ(shell_line({"a", "b c", "d'e", "", "$x", "--k=v"}), R"(a 'b c' 'd'\''e' '' '$x' --k=v)");
}

TEST(Command, IsBoundByNumactlAsPlanned) {
  Worker worker = some_worker();
  EXPECT_EQ(numactl(worker), "numactl --physcpubind=0-2 --membind=1");
  worker.memory = deploy::Memory::preferred;
  EXPECT_EQ(numactl(worker), "numactl --physcpubind=0-2 --preferred=1");
  worker.memory = deploy::Memory::weighted;
  EXPECT_EQ(numactl(worker), "numactl --physcpubind=0-2 --weighted-interleave=1");
  worker.memory = deploy::Memory::none;
  EXPECT_EQ(numactl(worker), "numactl --physcpubind=0-2");
}

}  // namespace
