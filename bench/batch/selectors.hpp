// What a selector costs, for bench-batch --selectors.
#pragma once

/// Prints what the steps of a choice take on one core for a random graph of that many nodes, two edges from each.
void bench_selectors(int nodes);
