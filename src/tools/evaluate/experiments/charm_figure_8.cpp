// CHARM Fig. 8 (§5.3): the kernels of Fig. 7 on Intel's Sapphire Rapids. CHARM is ahead on the cores of one socket.
#include "tools/evaluate/experiments/against_numa.hpp"
#include "tools/evaluate/experiments/all.hpp"

namespace charm::evaluate {

constinit const Experiment charm_figure_8{
    .name = "charm-fig8",
    .title = "The same on Intel",
    .claim =
        "On an Intel machine, too, the six kernels run faster under CHARM on all cores of a socket than under "
        "NUMA-aware placement.",
    .paper = "CHARM Fig. 8, §5.3",
    .published = "ahead by a large margin up to 48 cores",
    .needs = {.cores = 8, .chiplets = 2, .nodes = 2, .vendor = "intel", .benchmark = "graph"},
    .plan = against_numa};

}  // namespace charm::evaluate
