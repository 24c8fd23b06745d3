// Closes a library whose runtime has workers at that moment; the library stays until it may go.
#include <chrono>
#include <cstdio>
#include <dlfcn.h>
#include <thread>

int main(int /*argc*/, char** argv) {
  void* plugin = dlopen(argv[1], RTLD_NOW);
  if (plugin == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 2;
  reinterpret_cast<void (*)()>(dlsym(plugin, "plugin_start"))();
  auto stop = reinterpret_cast<int (*)()>(dlsym(plugin, "plugin_stop"));
  dlclose(plugin);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // its workers wake meanwhile
  return stop() == 7 ? 0 : 1;
}
