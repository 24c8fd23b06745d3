#include "tools/machine_view/gathering.hpp"

#include <utility>

#include "os/machine/cpu_identity.hpp"
#include "topology/description.hpp"

namespace charm::machine_view {

Views gather(const topology::MachineSource& source) {
  const topology::Description reported = topology::read_description(source.topology, topology::Detail::kinds);
  Sources sources;
  Machine machine = topology::completed(topology::machine_of(reported), source).machine;
  if (reported.profile)
    sources.profile = reported.profile;
  else if (!machine.measured.profile.empty())
    sources.profile = topology::read_profile_picture(machine.measured.profile);
  sources.system = reported.survey;
  if (source.topology.empty()) {
    sources.guest = os::read_cpu_identity().guest;
    if (machine.is_live()) sources.processors = topology::survey_processors();
  }
  return compare(std::move(machine), sources);
}

}  // namespace charm::machine_view
