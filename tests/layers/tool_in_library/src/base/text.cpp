#include "tools/sim/run.hpp"
