// Degraded modes, each reported once to stderr and kept to be asked for (charm::stats().notices).
#pragma once

#include <string>
#include <vector>

namespace charm::base {

/// Records `text` under `key`; prints "charm: text" to stderr the first time a key is seen, unless CHARM_QUIET is set.
void notice(const std::string& key, const std::string& text);

/// Records only: for what comes and goes, and is worth knowing when one asks.
void note(const std::string& key, const std::string& text);

/// All recorded notices, oldest first.
std::vector<std::string> notices();

}  // namespace charm::base
