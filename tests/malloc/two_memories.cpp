// two_memories FILE: writes a page of weights of a machine with two memories, both of which are node 0, and a root for
// each cpu in turn. So programs are run with all of the placing, by real system calls, on any machine.
#include <fstream>
#include <iostream>

#include <sys/stat.h>

#include "memory/weight_page.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: two_memories FILE\n";
    return 2;
  }
  charm::memory::WeightPage page;
  page.magic = charm::memory::page_magic;
  page.bytes = sizeof page;
  page.generation = 1;
  page.memories = 2;
  page.roots = 2;
  page.normal = {0, 1};
  page.socket[1] = 1;
  page.weights[0] = {1000, 375};
  page.weights[1] = {375, 1000};
  for (std::size_t cpu = 0; cpu < page.root_of_cpu.size(); ++cpu)
    page.root_of_cpu[cpu] = static_cast<std::uint8_t>(cpu % 2);
  std::ofstream file(argv[1], std::ios::binary);
  file.write(reinterpret_cast<const char*>(&page), sizeof page);
  file.close();
  return file && chmod(argv[1], 0644) == 0 ? 0 : 1;
}
