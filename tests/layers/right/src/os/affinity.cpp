#include <charm/error.hpp>

#include <vector>

#include "base/text.hpp"
