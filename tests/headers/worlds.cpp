// All public headers after the macros of other libraries, and their templates in use. Only compiled, with all warnings.
#include "worlds.hpp"

#include "all_headers.hpp"
#include "used.hpp"
