// The example of docs/memory.md.
#include <charm/charm.hpp>

#include <memory_resource>
#include <vector>

int main() {
  {
#include "memory_1.inc"
    list.push_back(1);
    if (x[0] != 1 || x[x.size() - 1] != 1 || list.back() != 1) return 1;
  }
  charm::finalize();
}
