#include "../os/affinity.hpp"
