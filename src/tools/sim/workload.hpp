// A program's use of the memory system, as data: phases, each a mixture of access patterns. Both back-ends read the
// same description; the line-granular one draws the accesses from it, the analytic one computes their steady state.
#pragma once

#include <string>
#include <vector>

namespace charm::sim {

inline constexpr double line_bytes = 64;

/// How often lines are touched: classes of lines, each evenly. `lines` and `accesses` are shares that sum to 1.
struct Popularity {
  struct Class {
    double lines = 1;
    double accesses = 1;
  };
  std::vector<Class> classes{{1, 1}};
};

Popularity uniform_popularity();
/// Zipf's law with exponent `skew` over `lines` lines, in classes that grow by half.
Popularity zipf_popularity(double skew, double lines);

/// One kind of access within an operation.
struct Component {
  enum class Order { sweep, random };
  enum class Reach {
    own,     // a part of the data that one worker at a time works on; other workers get it only if tasks roam
    pair,    // two neighbours hand lines to each other: each writes its mailbox and reads the other's
    shared,  // all workers touch all of it
  };
  std::string name;
  Order order = Order::sweep;
  Reach reach = Reach::own;
  double bytes = 0;       // own: of each worker; pair: of a mailbox; shared: of the whole
  double accesses = 1;    // lines touched per operation
  double writes = 0;      // share of the accesses that write
  double overlap = 1;     // share of the machine's misses in flight that its dependences allow
  Popularity popularity;  // popularity of the lines in random accesses
  bool replicable =
      false;  // read mostly or merged now and then: a policy may keep a copy for each node, chiplet or core
};

/// Lines at which the workers take turns, once in an operation: only the holder of a line goes on.
struct Turns {
  double lines = 0;    // counters or locks that are independent of each other; 0: no turns
  double moved = 1;    // lines that go to each holder
  double hold_ns = 0;  // the holder's work
};

/// How the operations of a step are divided among the workers.
enum class Parts {
  as_they_come,  // by stealing or in chunks: nobody waits for a slow one
  equal,         // one part each, whatever core it is on
  by_capacity,   // parts as large as the cores are fast (Core::capacity), as the static schedule begins
};

struct Phase {
  std::string name;
  std::vector<Component> components;
  double compute_ns = 0;         // per operation, besides the accesses
  double instructions = 100;     // per operation, for counts of events per instruction
  double step_operations = 0;    // of all workers between two barriers; 0: no barriers
  double turns_per_step = 1;     // serialised turns of each worker at a barrier or lock
  int team = 0;                  // number of workers at a barrier; 0: all
  double serial_operations = 0;  // of a step, done by one worker alone
  Parts parts = Parts::as_they_come;
  Turns turns = {};
  double seconds = 1e18;           // until the next phase
  double task_operations = 16384;  // operations of a task
};

struct Workload {
  std::string name;
  std::string unit = "operations";  // what an operation is, in plural
  std::vector<Phase> phases;        // one after the other, for ever
};

/// Bytes that all workers touch together, in the phase that touches most.
double memory_of(const Workload& workload, int workers);

}  // namespace charm::sim
