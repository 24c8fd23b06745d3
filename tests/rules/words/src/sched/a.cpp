// - Count, then look: a visitor counts itself before it reads the runtime (sched/a.cpp).
int f(int A1) { return (A1); }  // of the first level cache (count, then look)
