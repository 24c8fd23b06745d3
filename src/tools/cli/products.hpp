// `charm topo --products`: the products whose published shape is known, which may be named wherever a machine is
// described.
#pragma once

#include <iosfwd>

namespace charm::cli {

void print_products(bool json, bool colour, std::ostream& out);

}  // namespace charm::cli
