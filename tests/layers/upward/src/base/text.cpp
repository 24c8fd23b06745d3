#include "os/affinity.hpp"
