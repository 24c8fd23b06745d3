// Manual pages from the declarations of the commands, so that a page says what --help says. One page for the tool,
// charm(1), and one for each command, charm-run(1), with the commands below it as sections.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/cli/cli11.hpp"

namespace charm::cli {

/// The page of a command in the man(7) macros. \param path "charm bench". \param version of the tool.
std::string man_page(const CLI::App& app, const std::string& path, const std::string& version);

/// File name ("charm-bench.1") and text of all pages. \param app the whole command line.
std::vector<std::pair<std::string, std::string>> man_pages(const CLI::App& app, const std::string& version);

}  // namespace charm::cli
