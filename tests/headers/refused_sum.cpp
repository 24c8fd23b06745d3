// A reduction whose body returns a double where the result is an int would lose what lies behind the point: it must not
// compile, and the compiler says what to write instead. With FITS the same compiles.
#include <charm/parallel_reduce.hpp>

double sum() {
#if defined(FITS)
  const double zero = 0;
#else
  const int zero = 0;
#endif
  return charm::parallel_reduce(
      0, 10, zero, [](int low, int high, double s) { return s + 0.5 * (high - low); },
      [](double a, double b) { return a + b; });
}
