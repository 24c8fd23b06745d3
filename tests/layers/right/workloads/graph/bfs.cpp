#include <charm/error.hpp>

#include "graph/csr.hpp"
