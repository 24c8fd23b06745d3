// Where a machine is read from, and what is said when that cannot be read.
#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "fiber/sanitizers.hpp"
#include "topology/machine_checks.hpp"

#if defined(CHARM_ASAN)
#include <sanitizer/lsan_interface.h>
#endif

using namespace charm;
using namespace charm::test;

namespace {

std::string error_of(const std::string& input) {
  testing::internal::CaptureStderr();
  std::string text;
  try {
    (void)Machine::from(input);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_FALSE(error.remedy().empty());
    text = error.what();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << input;
  EXPECT_EQ(text.find('\n'), std::string::npos);
  return text;
}

/// hwloc itself leaks the objects of a file that ends in their middle.
struct IgnoreLeaks {
#if defined(CHARM_ASAN)
  __lsan::ScopedDisabler disabler;
#endif
};

struct File {
  explicit File(const std::string& text) : path(folder.file("topology.xml", text)) {}
  charm::test::Folder folder;
  std::string path;
};

std::string read(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_parts(const std::string& text, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Input, AMissingFileIsNamed) {
  expect_parts(error_of("/nowhere/machine.xml"), {"/nowhere/machine.xml", "does not exist", "lstopo"});
}

TEST(Input, ADirectoryIsNoTopology) { expect_parts(error_of(testing::TempDir()), {"is a directory"}); }

TEST(Input, AnEmptyFileIsSaidToBeEmpty) {
  File file("");
  expect_parts(error_of(file.path), {file.path, "is empty"});
}

TEST(Input, AFileOfSomethingElseIsSaidToBeNoTopology) {
  File text("u v w\n1 2 3\n");
  expect_parts(error_of(text.path), {"is no hwloc XML topology"});
  File bytes(std::string("\0\xff\x01<<<&&", 8));
  expect_parts(error_of(bytes.path), {"is no hwloc XML topology"});
}

TEST(Input, WhatIsPackedOrAnothersIsSaidToBeSoWithWhatToDo) {
  using namespace std::string_literals;
  const std::pair<std::string, std::vector<std::string>> files[] = {
      {"\x1f\x8b\x08\x00rest"s, {"compressed by gzip", "gunzip"}},
      {"\xfd"
       "7zXZ\x00rest"s,
       {"compressed by xz", "tar xf"}},
      {"BZh91AY"s, {"compressed by bzip2", "bunzip2"}},
      {"\x28\xb5\x2f\xfdrest"s, {"compressed by zstd", "unzstd"}},
      {"PK\x03\x04rest"s, {"zip archive"}},
      {std::string(257, 'n') + "ustar\0"s, {"tar archive", "sys/devices/system/cpu"}},
      {"CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE\n0 0 0 0 0:0:0:0 yes\n"s, {"lscpu", "lstopo"}},
      {"Architecture:  x86_64\n"s, {"lscpu", "lstopo"}},
      {"{\n   \"lscpu\": [\n"s, {"lscpu", "lstopo"}},
      {"{\n   \"cpus\": [\n"s, {"lscpu", "lstopo"}},
  };
  const charm::test::Folder folder;
  for (const auto& [text, parts] : files) {
    const std::string said = error_of(folder.file("machine", text));
    for (const std::string& part : parts) EXPECT_NE(said.find(part), std::string::npos) << part << ": " << said;
  }
  EXPECT_NE(error_of("-").find("/dev/stdin"), std::string::npos) << error_of("-");
}

TEST(Input, ACutFileIsAnErrorWhereverItIsCut) {
  const std::string whole = read(topology_file("AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml"));
  ASSERT_GT(whole.size(), 10000U);
  for (std::size_t tenth = 1; tenth < 10; ++tenth) {
    File file(whole.substr(0, whole.size() * tenth / 10));
    [[maybe_unused]] IgnoreLeaks leaks;
    EXPECT_NE(error_of(file.path), "") << tenth;
  }
}

TEST(Input, AFormatFromTheFutureIsNamed) {
  std::string text = read(topology_file("AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml"));
  const std::string version = "<topology version=\"2.0\"";
  ASSERT_NE(text.find(version), std::string::npos);
  text.replace(text.find(version), version.size(), "<topology version=\"3.0\"");
  File file(text);
  expect_parts(error_of(file.path), {"format 3.0", "--export-xml-flags 2"});
}

TEST(Input, MalformedSyntheticStringsAreQuotedWithOneThatWorks) {
  for (const char* bad :
       {"nonsense", "pack:", "pack:2 l3:", "pack:0", "core:2 pack:2", "foo:3", "-", "pack:2 core:-1"}) {
    expect_parts(error_of(bad), {bad, "pack:2 l3:8 core:8 pu:2"});
  }
  EXPECT_EQ(Machine::from("pack:2 l3:8 core:8 pu:2").cores.size(), 128U);
}

TEST(Input, CoresWithoutDescribedThreadsHaveOne) {
  for (const char* cores : {"pack:2 l3:8 core:8", "pack:2 l3:8 core:8 ", "core:3", "pack:2 l3:2(size=8MB) core:4"}) {
    const Machine without = Machine::from(cores);
    const Machine with = Machine::from(std::string(cores) + " pu:1");
    EXPECT_EQ(without.cores.size(), with.cores.size()) << cores;
    EXPECT_EQ(without.chiplets.size(), with.chiplets.size()) << cores;
    EXPECT_EQ(without.allowed_cpus, with.allowed_cpus) << cores;
  }
  expect_parts(error_of("pack:99999 core:9"), {"more than 65536 cpus"});
}

TEST(Input, AMonstrousSyntheticMachineIsRefusedAtOnce) {
  expect_parts(error_of("pack:1000000 core:1000000 pu:8"), {"more than 65536 cpus"});
  expect_parts(error_of("pack:18446744073709551616 pu:1"), {"more than 65536 cpus"});
}

TEST(Input, AnEmptyNameIsAnError) {
  EXPECT_NE(error_of(""), "");
  EXPECT_NE(error_of(" \n"), "");
}

struct Environment {
  Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name_); }

 private:
  const char* name_;
};

TEST(Discover, UsesWhatCharmTopologyNames) {
  Environment variable("CHARM_TOPOLOGY", "pack:2 l3:3 core:4 pu:2");
  Machine m = Machine::discover();
  EXPECT_EQ(m.origin, "synthetic:pack:2 l3:3 core:4 pu:2");
  EXPECT_EQ(m.chiplets.size(), 6U);
  EXPECT_FALSE(m.is_live());
}

TEST(Discover, RefusesACharmTopologyThatCannotBeRead) {
  Environment variable("CHARM_TOPOLOGY", "/nowhere/machine.xml");
  EXPECT_THROW((void)Machine::discover(), Error);
}

TEST(Discover, FindsThisMachine) {
  Environment empty("CHARM_TOPOLOGY", "");  // as good as unset
  Machine m = Machine::discover();
  EXPECT_EQ(structure_error(m), "");
  EXPECT_TRUE(m.is_live());
  EXPECT_FALSE(m.cores.empty());
}

TEST(Discover, LeavesTheThreadWhereItWasAllowedToRun) {
  Machine before = Machine::discover();
  EXPECT_EQ(Machine::discover().allowed_cpus, before.allowed_cpus);
}

}  // namespace
