// The steps that all ranks take together, by messages along a tree (tree.hpp). MPI's own collectives that do not block
// are not used, because each look for messages costs more while one of them is under way.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <cstddef>
#include <mpi.h>
#include <vector>

#include "remote/transport.hpp"
#include "remote/tree.hpp"

namespace charm::remote {

/// One step at a time.
class MpiSteps {
 public:
  void start(MPI_Comm all, int rank, const std::vector<TreePlace>& tree);

  void gather(Collective& step, const void* mine, std::size_t bytes, void* all);
  void broadcast(Collective& step, void* data, std::size_t bytes, int root);

  [[nodiscard]] bool under_way() const noexcept { return step_ != nullptr; }
  /// Goes on as far as messages have come. \return the step, if it is finished.
  Collective* advance();
  /// A rank is lost, and its messages will not come. MPI may still write to the memory.
  void give_up() noexcept { step_ = nullptr; }

 private:
  enum class Stage { collect, pass, spread };
  void begin(Collective& step, void* result, std::size_t bytes);
  void send(const void* data, std::size_t bytes, int to, int tag);
  void receive(void* data, std::size_t bytes, int from, int tag);
  void pass();
  void spread();

  MPI_Comm all_ = MPI_COMM_NULL;
  int rank_ = 0;
  std::size_t ranks_ = 1;
  TreePlace place_;
  std::vector<std::size_t> sizes_below_;  // ranks below each child
  Collective* step_ = nullptr;
  Stage stage_ = Stage::collect;
  bool gathers_ = false;
  std::size_t each_ = 0;  // bytes of a rank
  void* result_ = nullptr;
  // Not the caller's memory, which MPI would write to after the step was given up.
  std::vector<char> below_;  // of this rank and those below it
  std::vector<char> whole_;  // the result
  std::vector<MPI_Request> requests_;
};

}  // namespace charm::remote
