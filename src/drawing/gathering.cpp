#include "drawing/gathering.hpp"

#include "os/cpu_identity.hpp"
#include "topology/build.hpp"
#include "topology/discovery.hpp"
#include "topology/source.hpp"

namespace charm::drawing {
namespace {

using topology::Detail;
using topology::SourceKind;

topology::Survey survey_of(const std::string& description) {
  switch (topology::kind_of_source(description)) {
    case SourceKind::sysfs:
      return topology::survey_sysfs(description, Detail::kinds);
    case SourceKind::synthetic:
      return topology::survey_synthetic(description, Detail::kinds);
    default:
      return topology::survey_file(description, Detail::kinds);
  }
}

}  // namespace

Views gather(const std::string& description, const std::string& profile) {
  Sources sources;
  Machine machine = topology::discover_quietly(description, profile).machine;
  if (!machine.measured.profile.empty()) sources.profile = topology::read_profile_picture(machine.measured.profile);
  if (!description.empty()) {
    if (topology::kind_of_source(description) != SourceKind::profile) sources.system = survey_of(description);
  } else {
    sources.system = topology::survey_live(Detail::kinds);
    sources.guest = os::read_cpu_identity().guest;
    if (machine.is_live()) sources.processors = topology::survey_processors();
  }
  return compare(std::move(machine), sources);
}

}  // namespace charm::drawing
