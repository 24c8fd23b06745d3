// To be loaded before the ranks of a build with AddressSanitizer: no library is unloaded, so that a report of what an
// MPI library has not freed names the library, and tests/ranks/leaks.txt can leave it out.
extern "C" [[gnu::visibility("default")]] int dlclose(void* /*library*/) noexcept { return 0; }
