// A library that brings the runtime along and starts it.
#include <charm/charm.hpp>

extern "C" void plugin_start() {
  charm::Config config;
  config.workers = 2;
  config.share_cores = true;
  charm::init(config);
  charm::run([] {});
}
extern "C" int plugin_stop() {
  const int got = charm::run([] { return 7; });
  charm::finalize();
  return got;
}
