// RandomAccess (GUPS): 2^n words of 8 bytes, 4 * 2^n updates word[x mod 2^n] ^= x with x from the HPCC stream.
#pragma once

#include "workloads/array.hpp"
#include "workloads/executor/concept.hpp"

namespace charm::workloads {

using Table = Array<std::uint64_t>;

/// word[i] = i
template <Executor E>
void fill_table(E& e, Table& table);

/// All updates, each once, in stretches of the stream that the workers share out.
template <Executor E>
void update_table(E& e, Table& table);

/// Makes the same updates again, now exactly, and counts the words that are not as filled: xor undoes itself, so these
/// are the updates that update_table() lost. The rules allow 1 % of the words.
template <Executor E>
Index count_errors(E& e, Table& table);

constexpr Index updates_of(Index words) { return 4 * words; }

}  // namespace charm::workloads
