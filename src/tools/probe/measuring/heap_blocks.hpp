// What blocks of malloc(3) give and cost under the malloc that this process runs with: the bandwidth of a large one
// that several threads read (TAPMM §4.2, Fig. 8), and the time of getting and giving back small and huge ones (§4.2,
// "Overhead"). All memory comes from malloc itself, unlike that of the other measurements, which map theirs.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace charm::probe {

struct BlockRead {
  double gb_per_s = 0;          ///< of the median pass
  std::map<int, double> parts;  ///< of the block's pages, by node (OS number); empty: the kernel does not say
};

/// A thread on the first cpu allocates one block; threads on all of them touch it, each a part of its own, and then
/// read their parts from one end to the other.
/// \throws Error (system) where the memory cannot be had or a thread cannot be bound.
BlockRead read_block(const std::vector<int>& cpus, std::size_t bytes, int passes);

/// Nanoseconds of getting and giving back a block of 16 to 512 bytes, of which a thousand are there at a time.
double small_block_ns(int cpu);

/// Microseconds of getting a block of 8 MiB, touching each of its pages, and giving it back.
double huge_block_us(int cpu);

}  // namespace charm::probe
