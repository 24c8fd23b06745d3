// Events as text: raw codes, user wishes, and what is said of those that cannot be understood.
#include "counters/event_text.hpp"

#include <charm/error.hpp>

#include <cstdlib>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "os/perf/libpfm.hpp"

namespace charm::counters {
namespace {

std::string complaint(const std::string& setting) {
  try {
    parse_user_events(setting);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RawEvent, IsTypeConfigAndPerhapsConfig1) {
  EXPECT_EQ(parse_raw_event("4:0x444"), (Event{4, 0x444, 0}));
  EXPECT_EQ(parse_raw_event("4:0x1b7:0x3f803c05b3"), (Event{4, 0x1b7, 0x3f803c05b3}));
  EXPECT_EQ(parse_raw_event("0:1"), (Event{0, 1, 0}));
  for (const char* wrong : {"", "4", "4:", ":4", "4:0x", "4:zz", "4:1:2:3", "4:1:", "4:-1", "99999999999:1", "4: 1"}) {
    EXPECT_EQ(parse_raw_event(wrong), std::nullopt) << wrong;
  }
}

RC_GTEST_PROP(RawEvent, ReadsBackAsItIsWritten, (std::uint32_t type, std::uint64_t config, std::uint64_t config1)) {
  RC_ASSERT(parse_raw_event(raw_text({type, config, config1})) == (Event{type, config, config1}));
}

TEST(UserEvents, AreSumsAndDifferencesPerSource) {
  const auto events = parse_user_events("other_chiplet=4:0x444+4:0x1044-4:0x1  instructions=0:1");
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].source, FillSource::other_chiplet);
  EXPECT_EQ(events[1].event.config, 0x1044U);
  EXPECT_FALSE(events[1].minus);
  EXPECT_TRUE(events[2].minus);
  EXPECT_EQ(events[3].role, EventRole::instructions);
  EXPECT_TRUE(parse_user_events("  ").empty());
}

TEST(UserEvents, TakeNamesThatLibpfmKnows) {
  setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
  if (!os::libpfm_available()) GTEST_SKIP() << "no libpfm here";
#if defined(__x86_64__)
  const auto events = parse_user_events("own_l2=amd64_fam19h_zen3::ANY_DATA_CACHE_FILLS_FROM_SYSTEM:LCL_L2");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].event, (Event{4, 0x144, 0}));
#endif
}

TEST(UserEvents, SayWhatIsWrongWithThem) {
  EXPECT_NE(complaint("0x444").find("no '='"), std::string::npos);
  EXPECT_NE(complaint("l4=4:1").find("'l4' is no fill source"), std::string::npos);
  EXPECT_NE(complaint("own_l2=").find("an event is missing"), std::string::npos);
  EXPECT_NE(complaint("own_l2=4:1+").find("an event is missing"), std::string::npos);
  EXPECT_NE(complaint("own_l2=NO_SUCH_EVENT").find("'NO_SUCH_EVENT' is no type:config"), std::string::npos);
}

}  // namespace
}  // namespace charm::counters
