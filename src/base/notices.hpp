// Notices about degraded modes: each is printed to stderr once and stored (charm::stats().notices).
#pragma once

#include <string>
#include <vector>

namespace charm::base {

/// Records `text` under `key`; prints "charm: text" to stderr the first time a key is seen, unless CHARM_QUIET is set.
void notice(const std::string& key, const std::string& text);

/// Records without printing, for conditions that come and go.
void note(const std::string& key, const std::string& text);

/// Called around fork(), so that no thread changes the notices while the process is copied.
void lock_notices();
void unlock_notices();

/// All recorded notices, oldest first.
std::vector<std::string> notices();

}  // namespace charm::base
