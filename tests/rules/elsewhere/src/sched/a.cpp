int a;  // counted (L2 in sched/run/gate.hpp)
