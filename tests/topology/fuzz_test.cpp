// Random changes of good descriptions: whatever they make of them, each is read as a sound machine or refused with an
// error, and the process goes on. The seeds are fixed; CHARM_FUZZ_TRIALS asks for another number of trials.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "topology/descriptions.hpp"
#include "topology/sysfs_tree.hpp"

using namespace charm;
using namespace charm::test;

namespace {

/// Changes a text as a disk, a transfer or an editor might, or a person who wants to see what happens.
std::string mutated(std::string text, std::mt19937& random) {
  const char* pieces[] = {"0",       "-1", "99999999999", "\"",         "<",    ">",         "",        "0x0",  "Core",
                          "L3Cache", "PU", "NUMANode",    "4294967295", "\xff", "</object>", "Package", "Group"};
  const auto place = [&](std::size_t size) { return size == 0 ? 0 : random() % size; };
  for (unsigned changes = 1 + random() % 4; changes > 0 && !text.empty(); --changes) {
    const std::size_t at = place(text.size());
    switch (random() % 6) {
      case 0:
        text[at] = static_cast<char>(random() % 256);
        break;
      case 1:
        text.erase(at, 1 + random() % 200);
        break;
      case 2:
        text.insert(at, text.substr(place(text.size()), 1 + random() % 400));
        break;
      case 3: {  // a value of an attribute
        const std::size_t begin = text.find("=\"", at);
        if (begin == std::string::npos) break;
        const std::size_t end = text.find('"', begin + 2);
        if (end != std::string::npos) text.replace(begin + 2, end - begin - 2, pieces[place(std::size(pieces))]);
        break;
      }
      case 4: {  // a line
        const std::size_t begin = text.find('\n', at);
        if (begin == std::string::npos) break;
        const std::size_t end = text.find('\n', begin + 1);
        if (random() % 2 == 0)
          text.erase(begin, end - begin);
        else
          text.insert(begin, text.substr(begin, end - begin));
        break;
      }
      default:
        text.insert(at, pieces[place(std::size(pieces))]);
    }
  }
  return text;
}

/// CHARM_FUZZ_TRIALS asks for another number.
unsigned trials(unsigned usual) {
  const char* asked = std::getenv("CHARM_FUZZ_TRIALS");
  return asked == nullptr ? usual : static_cast<unsigned>(std::atoi(asked));
}

TEST(Fuzz, MutatedXmlIsReadOrRefused) {
  std::mt19937 random(20261123);
  const std::vector<std::string> seeds = {content(topology_file("AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml")),
                                          content(topology_file("32amd64-4s2n4c-cgroup2.xml")),
                                          xml_of("pack:2 numa:2 l3:2 l2:1 core:2 pu:2")};
  const Folder folder;
  unsigned refused = 0;
  const unsigned count = trials(120);
  for (unsigned trial = 0; trial < count; ++trial) {
    const std::string text = mutated(seeds[trial % seeds.size()], random);
    SCOPED_TRACE("trial " + std::to_string(trial));
    refused += !judged(folder.file("machine.xml", text)).empty();
  }
  EXPECT_GT(refused, 0U);
  EXPECT_LT(refused, count);
}

TEST(Fuzz, MutatedSysfsIsReadOrRefused) {
  std::mt19937 random(20261124);
  const unsigned count = trials(25);
  for (unsigned trial = 0; trial < count; ++trial) {
    const SysfsTree tree(sysfs_cpus(8,
                                    [](int i, SysfsCpu& c) {
                                      c.socket = c.node = i / 4;
                                      c.l3 = i / 2;
                                      c.cluster = i / 4;
                                      c.capacity = i < 4 ? 1024 : 512;
                                    }),
                         {{}, {}});
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tree.root())) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    const char* texts[] = {"", "-1", "ffffffff", "0", "0-", "0-4095", "4294967295", "a,b", "00000000", "\xff\xfe", "-"};
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      const auto& file = files[random() % files.size()];
      if (!std::filesystem::exists(file)) continue;
      if (random() % 3 == 0)
        std::filesystem::remove_all(file);
      else if (std::filesystem::is_regular_file(file))
        std::ofstream(file) << texts[random() % std::size(texts)] << '\n';
    }
    SCOPED_TRACE("trial " + std::to_string(trial));
    if (std::filesystem::exists(tree.root())) judged(tree.root());
  }
}

TEST(Fuzz, RandomSyntheticStringsAreReadOrRefused) {
  std::mt19937 random(20261125);
  const char* words[] = {"pack",
                         "numa",
                         "l3",
                         "l2",
                         "l1d",
                         "l1i",
                         "core",
                         "pu",
                         "group",
                         "die",
                         "machine",
                         "[numa]",
                         "(indexes=0,1)",
                         "(size=1GB)",
                         "(memory=-1)",
                         ":",
                         ":2",
                         ":3",
                         ":0",
                         ":-1",
                         " ",
                         " ",
                         "l9",
                         "misc",
                         "(indexes=2*2:2*1)",
                         "[numa(memory=2GB)]",
                         "(",
                         ")",
                         "os",
                         "memcache"};
  const unsigned count = trials(150);
  for (unsigned trial = 0; trial < count; ++trial) {
    std::string text = random() % 2 == 0 ? "pack:2 l3:2 " : "";
    for (unsigned words_left = random() % 8; words_left > 0; --words_left) text += words[random() % std::size(words)];
    if (random() % 2 == 0) text += " core:2 pu:2";
    SCOPED_TRACE(text);
    judged(text);
  }
}

}  // namespace
