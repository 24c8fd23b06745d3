#  include "os/affinity.hpp"
