// `charm sim model`: the model of a machine, each number with its source.
#include <charm/error.hpp>

#include <memory>
#include <ostream>
#include <string>

#include "tools/cli/options.hpp"
#include "tools/cli/sim/subcommands.hpp"
#include "tools/probe/profile.hpp"
#include "tools/sim/from_profile.hpp"
#include "tools/sim/model.hpp"

namespace charm::cli {
namespace {

struct ModelArguments {
  std::string machine, profile;
};

int print_model(const ModelArguments& options, Session& session) {
  if (options.machine.empty() == options.profile.empty())
    throw Error(Errc::bad_config, "charm sim model takes a machine or a profile, and only one of them",
                "for example charm sim model epyc-7713, or charm sim model --from-profile probe.json");
  session.out << sim::model_json(options.profile.empty() ? sim::model(options.machine)
                                                         : sim::model_of_profile(probe::load_profile(options.profile)));
  return exit_done;
}

}  // namespace

void declare_sim_model(CLI::App& sim, Session& session) {
  CLI::App* app = sim.add_subcommand("model", "Print the model of a machine, with the source of each number");
  auto options = std::make_shared<ModelArguments>();
  not_empty(app->add_option("machine", options->machine, "A machine, as --machine takes it"));
  file_path(app->add_option("--from-profile", options->profile, "Make the model of what charm probe measured"));
  app->callback(
      [&session, options] { session.action = [&session, options] { return print_model(*options, session); }; });
}

}  // namespace charm::cli
