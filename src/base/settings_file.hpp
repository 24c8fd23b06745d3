// The settings file: lines "name = value", where # begins a comment. Only a plain file of a bounded size is read,
// because CHARM_CONFIG could name anything. A pipe is refused: parent and child processes all read the file.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace charm::base {

struct SettingInFile {
  std::string name, value;
  std::string where;  ///< "charm.conf:3"
};

/// \param known whether there is a setting of that name: a misspelt one must not pass silently.
/// \throws Error (bad_config) that names the file and the line.
std::vector<SettingInFile> read_settings_file(const std::string& path,
                                              const std::function<bool(const std::string&)>& known);

}  // namespace charm::base
