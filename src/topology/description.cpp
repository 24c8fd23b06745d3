#include "topology/description.hpp"

#include <charm/error.hpp>

#include <filesystem>
#include <utility>

#include "base/present.hpp"
#include "os/files/bounded_file.hpp"
#include "topology/build.hpp"
#include "topology/foreign.hpp"
#include "topology/known_shapes.hpp"

namespace charm::topology {
namespace {

constexpr const char* blanks = " \t\r\n";

Description described(Survey survey) { return {std::nullopt, std::move(survey)}; }

/// A file or pipe, whose first character tells a profile from hwloc's XML.
Description read_file(const std::string& path) {
  // The profiles of large machines are long, and only their heads are read.
  if (is_profile(path)) return {read_profile_picture(path), std::nullopt};
  const os::BoundedText file = os::read_bounded(path);
  if (!file.problem.empty()) refuse_file(path, file.problem);
  if (const auto first = file.text.find_first_not_of(blanks); first != std::string::npos && file.text[first] == '{') {
    if (is_of_lscpu(file.text)) refuse_file(path, "is the JSON of lscpu, which does not say all that is needed");
    return {parse_profile_picture(file.text, path), std::nullopt};
  }
  return described(survey_xml(file.text, path));
}

}  // namespace

Description read_description(const std::string& description, Detail detail) {
  if (description.empty()) return described(survey_live(detail));
  if (description.find_first_not_of(blanks) == std::string::npos) {
    throw Error(Errc::bad_input, "the topology's name is empty",
                "name an hwloc XML file or write a string such as 'pack:2 l3:8 core:8 pu:2'");
  }
  if (description == "-") {
    throw Error(Errc::bad_input, "the topology's name is '-'",
                "name /dev/stdin to read what another program writes, or write a string such as "
                "'pack:2 l3:8 core:8 pu:2'");
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(description, ignored)) return described(survey_sysfs(description, detail));
  if (std::filesystem::exists(description, ignored)) return read_file(description);
  if (const auto named = named_machine(description)) return described(survey_of(*named));
  // No level of a synthetic string has a dot or a slash in its name; memory sizes have no dot either.
  if (description.find_first_of("/.") != std::string::npos) return read_file(description);
  if (description.find(':') == std::string::npos) {
    throw Error(Errc::bad_input, "there is no file and no product " + quoted(description),
                "name an existing file, write levels and their counts such as 'pack:2 l3:8 core:8 pu:2', or take " +
                    std::string(naming_products));
  }
  return described(survey_synthetic(description, detail));
}

Machine machine_of(const Description& description) {
  if (description.survey) {
    const bool here = description.survey->origin == "live";
    return build(*description.survey, here ? restrictions_here() : Restrictions{});
  }
  const ProfilePicture& picture = base::present(description.profile);
  if (!picture.machine) {
    throw Error(Errc::bad_input, "profile '" + picture.file + "' does not say what the system showed",
                "measure again with 'charm probe'");
  }
  Machine machine = *picture.machine;
  machine.origin = "profile:" + picture.file;
  return apply_profile(std::move(machine), picture);
}

}  // namespace charm::topology
