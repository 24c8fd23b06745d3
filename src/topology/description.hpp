// What a description of a machine contains: an XML dump, a synthetic string, a measured profile or a sysfs tree, read
// once, since it may come through a pipe. Empty: this machine.
#pragma once

#include <charm/machine.hpp>

#include <optional>
#include <string>

#include "topology/profile.hpp"
#include "topology/survey.hpp"

namespace charm::topology {

/// One of the two: a machine that was measured, or what another source says.
struct Description {
  std::optional<ProfilePicture> profile;
  std::optional<Survey> survey;
};

/// \throws Error (bad_input) that names the description, what is wrong with it and how to get a good one.
Description read_description(const std::string& description, Detail detail = Detail::start_up);

/// The machine of a description, narrowed to what this process may use where it is the one that it runs on.
/// \throws Error (bad_input) where no cpu is left, or the profile does not say what the system showed.
Machine machine_of(const Description& description);

}  // namespace charm::topology
