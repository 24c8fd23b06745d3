// The examples of docs/task-graphs.md, with something to do in them.
#include <charm/charm.hpp>
#include <charm/task_graph.hpp>

#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace {

std::mutex mutex;
std::vector<std::string> lines;
void log(const char* line) {
  const std::lock_guard lock(mutex);
  lines.emplace_back(line);
}
int asked = 0;
bool enough() { return ++asked == 3; }
int improved = 0;
void improve() { ++improved; }

bool runs_again() {
  std::stop_source stop;
#include "task_graphs_1.inc"
  return whole && lines.size() == 4 * 15 && lines.front() == "read" && lines.back() == "write";
}

bool loops() {
  lines.clear();
#include "task_graphs_2.inc"
  return improved == 5 && lines.size() == 1;
}

bool nests() {
  lines.clear();
#include "task_graphs_3.inc"
  return lines == std::vector<std::string>{"within", "made", "made", "made", "made last", "after"};
}

}  // namespace

int main() {
  charm::init();
  const bool right = runs_again() && loops() && nests();
  charm::finalize();
  return right ? 0 : 1;
}
