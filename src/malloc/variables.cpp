#include "malloc/variables.hpp"

#include <bit>
#include <cstddef>

#include "malloc/messages.hpp"
#include "os/memory/bare.hpp"

namespace charm::shim {
namespace {

bool is(const char* text, const char* other) noexcept {
  while (*text != '\0' && *text == *other) ++text, ++other;
  return *text == *other;
}

constexpr std::size_t most_bytes = std::size_t{1} << 46U;  // more than machines have

/// "4M"; 0 where it is no size.
std::size_t size_of(const char* text) noexcept {
  std::size_t value = 0;
  const char* at = text;
  for (; *at >= '0' && *at <= '9' && value < most_bytes; ++at) value = value * 10 + static_cast<std::size_t>(*at - '0');
  const unsigned shift = *at == 'K' ? 10U : *at == 'M' ? 20U : *at == 'G' ? 30U : 0U;
  if (shift > 0) ++at;
  return at == text || *at != '\0' || value > most_bytes >> shift ? 0 : value << shift;
}

/// The size that jemalloc gives to so many bytes, from 64 KiB on: of four between two powers of two.
constexpr std::size_t size_class(std::size_t bytes) noexcept {
  const std::size_t step = std::bit_floor(2 * bytes - 1) / 8;
  return (bytes + step - 1) / step * step;
}
static_assert(size_class(std::size_t{4} << 20U) == std::size_t{4} << 20U && size_class(100'000) == 112 << 10U);

/// nullptr where the variable is unset or empty.
const char* value_of(const char* name) noexcept {
  const char* value = os::bare::environment(name);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

void refuse(const char* name, const char* value, const char* remedy) noexcept {
  char beginning[64] = {};  // a line of any length would end before the remedy
  std::size_t length = 0;
  for (; length + 1 < sizeof beginning && value[length] != '\0'; ++length) beginning[length] = value[length];
  say(Text() << "charm: malloc: " << name << " = '" << beginning << (value[length] != '\0' ? "..." : "")
             << "' is not usable; give " << remedy << "\n");
}

bool switched_on(const char* name, bool otherwise) noexcept {
  const char* value = value_of(name);
  if (value == nullptr) return otherwise;
  if (is(value, "on") || is(value, "off")) return is(value, "on");
  refuse(name, value, "on or off");
  return otherwise;
}

constexpr const char* known[] = {"WEIGHTS", "HUGE", "STATIC", "STATS"};

/// A misspelt name would silently change nothing.
void see_unknown_names() noexcept {
  constexpr char prefix[] = "CHARM_MALLOC_";
  for (const char* const* each = os::bare::environment(); each != nullptr && *each != nullptr; ++each) {
    std::size_t same = 0;
    while (prefix[same] != '\0' && (*each)[same] == prefix[same]) ++same;
    if (prefix[same] != '\0') continue;
    char name[16] = {};
    const char* rest = *each + same;
    for (std::size_t i = 0; i + 1 < sizeof name && rest[i] != '\0' && rest[i] != '='; ++i) name[i] = rest[i];
    bool good = false;
    for (const char* one : known) good = good || is(name, one);
    if (!good)
      say(Text() << "charm: malloc: there is no variable " << prefix << name
                 << "; there are CHARM_MALLOC and CHARM_MALLOC_WEIGHTS, _HUGE, _STATIC and _STATS\n");
  }
}

constexpr std::size_t path_bytes = 4096;
constinit char weights_path[path_bytes] = {};
constinit char statistics_path[path_bytes] = {};

/// Where the statistics go; nullptr: nowhere.
const char* statistics_file() noexcept {
  const char* where = value_of("CHARM_MALLOC_STATS");
  if (where == nullptr) return nullptr;
  if (is(where, "stderr") || is(where, "/dev/stderr")) return "stderr";
  if (*where == '/' && os::bare::absolute_path(where, statistics_path, sizeof statistics_path)) return statistics_path;
  refuse("CHARM_MALLOC_STATS", where, "stderr or an absolute path");
  return "stderr";
}

}  // namespace

Variables read_variables() noexcept {
  Variables asked;
  see_unknown_names();
  asked.statistics = statistics_file();
  asked.off = !switched_on("CHARM_MALLOC", true);
  if (const char* text = value_of("CHARM_MALLOC_HUGE"); text != nullptr) {
    const std::size_t bytes = size_of(text);
    // jemalloc's own small sizes end at 14 KiB, and a mapping for every block of some pages would be slow.
    if (bytes >= (std::size_t{64} << 10U)) {
      asked.normal_limit = size_class(bytes);
    } else {
      refuse("CHARM_MALLOC_HUGE", text, "a size of at least 64K, such as 4M");
    }
  }
  asked.spreads_static = switched_on("CHARM_MALLOC_STATIC", false);
  if (const char* path = value_of("CHARM_MALLOC_WEIGHTS"); path != nullptr) {
    if (os::bare::absolute_path(path, weights_path, sizeof weights_path))
      asked.weights = weights_path;
    else
      refuse("CHARM_MALLOC_WEIGHTS", path, "an absolute path of less than 4,096 characters");
  }
  return asked;
}

}  // namespace charm::shim
