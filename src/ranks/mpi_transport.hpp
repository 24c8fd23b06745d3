// Buffers between ranks by MPI: non-blocking sends, a ring of posted receives, non-blocking collectives. MPI is called
// by one thread at a time (MPI_THREAD_SERIALIZED).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ranks/transport.hpp"

namespace charm::remote {

/// Whether the program has called MPI_Init itself; then its ranks are used.
bool mpi_is_running();

/// \param pool where its buffers come from, and go to. \param started ranks that the environment tells of.
/// \param table of leases (sched::Sharing::table). \throws Error (refused) if MPI starts other ranks than that, does
/// not allow several threads, or has been ended.
std::unique_ptr<Transport> make_mpi_transport(BufferPool& pool, int started, std::uint64_t table);

}  // namespace charm::remote
