#include "tools/cli/products.hpp"

#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "tools/cli/text_table.hpp"
#include "topology/build.hpp"
#include "topology/known_shapes.hpp"

namespace charm::cli {

void print_products(bool json, bool colour, std::ostream& out) {
  base::Json list = base::Json::array();
  std::vector<std::vector<Cell>> rows;
  for (const topology::KnownShape& shape : topology::known_shapes()) {
    const Machine machine = topology::build(topology::survey_of(topology::NamedMachine{&shape, shape.sockets}));
    const std::size_t sizes[] = {machine.sockets.size(), machine.nodes.size(), machine.chiplets.size(),
                                 machine.cores.size(), machine.allowed_cpus.size()};
    list.push_back({{"name", shape.name},
                    {"product", shape.product},
                    {"aliases", shape.aliases},
                    {"sockets", sizes[0]},
                    {"nodes", sizes[1]},
                    {"chiplets", sizes[2]},
                    {"cores", sizes[3]},
                    {"cpus", sizes[4]},
                    {"source", shape.source}});
    std::vector<Cell> row{{std::string(shape.name), ""}};
    for (const std::size_t size : sizes) row.push_back({std::to_string(size), ""});
    row.push_back({std::string(shape.product), ""});
    rows.push_back(std::move(row));
  }
  if (json) {
    out << base::json_text(list, 2) << '\n';
    return;
  }
  constexpr auto right = Column::Align::right;
  out << render_table({{"name"},
                       {"sockets", right},
                       {"nodes", right},
                       {"chiplets", right},
                       {"cores", right},
                       {"cpus", right},
                       {"product"}},
                      rows, colour)
      << "\nWith another number of sockets: 2xNAME, as in 'charm topo --from 2xepyc-9654'.\n";
}

}  // namespace charm::cli
