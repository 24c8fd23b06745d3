// A library in C++ for a program in C, which asks for more memory than there is and catches what comes of it.
#include <cstddef>
#include <new>

extern "C" int plugin_fails(std::size_t bytes);
int plugin_fails(std::size_t bytes) {
  int caught = 0;
  try {
    ::operator delete(::operator new(bytes));
  } catch (const std::bad_alloc&) {
    ++caught;
  }
  try {
    ::operator delete(::operator new(bytes, std::align_val_t{64}), std::align_val_t{64});
  } catch (const std::bad_alloc&) {
    ++caught;
  }
  if (::operator new(bytes, std::nothrow) == nullptr) ++caught;
  if (::operator new(bytes, std::align_val_t{64}, std::nothrow) == nullptr) ++caught;
  return caught;
}
