// static: keeps one level, whatever the signals are. All other controllers are compared with it.
#include "controller/policies.hpp"

namespace charm::controller {
namespace {

constexpr Parameter known_parameters[] = {
    {"spread", "0", "chiplets to stand at, clamped to the levels there are; 0: where the placement starts", ""},
};

class Fixed final : public Controller {
 public:
  Fixed(const Setup& setup, const Parameters& parameters)
      : spread_(setup.levels[static_cast<std::size_t>(setup.initial)]) {
    if (int wanted = parameters.count("spread"); wanted > 0) {
      spread_ = setup.levels.front();
      for (int level : setup.levels) spread_ = level <= wanted ? level : spread_;
    }
  }
  int tick(const Signals& /*signals*/) override { return spread_; }
  [[nodiscard]] int spread() const override { return spread_; }
  [[nodiscard]] double period() const override { return 1; }

 private:
  int spread_;
};

std::unique_ptr<Controller> make_fixed(const Setup& setup, const Parameters& parameters) {
  return std::make_unique<Fixed>(setup, parameters);
}

}  // namespace

constinit const ControllerType fixed_policy{"static", "stands at one level", known_parameters, make_fixed};

}  // namespace charm::controller
