// The example of docs/suspension.md, with items to look up.
#include <charm/charm.hpp>

#include <atomic>

namespace {

struct Item {
  int number = 0;
  int next = 0;
};
std::atomic<int> moves{0};
int lookup(const Item& item) { return item.number + 1; }

#include "suspension_1.inc"

}  // namespace

int main() {
  charm::init();
  Item items[100];
  charm::run([&] {
    charm::task_group group;
    for (Item& item : items) group.run([&item] { visit(item); });
    group.wait();
  });
  charm::finalize();
  for (const Item& item : items) {
    if (item.next != 1) return 1;
  }
  return 0;
}
