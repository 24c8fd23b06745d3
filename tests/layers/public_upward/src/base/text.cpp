#include <charm/runtime.hpp>
