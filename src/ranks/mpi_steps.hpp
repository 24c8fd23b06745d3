// The steps that all ranks take together, by messages along a tree (tree.hpp). MPI's own collectives that do not block
// are not used, because each look for messages costs more while one of them is under way.
//
// A step goes up the tree and down. Each message begins with what the ranks behind it do (doing.hpp), so that at the
// root it is known whether all do the same; if not, all ranks have an error. Data of more than inline_bytes follows in
// a message of its own, which is received only where both sides have the same in mind: MPI libraries do not survive all
// messages that are longer than the memory for them.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <cstddef>
#include <mpi.h>
#include <vector>

#include "ranks/doing.hpp"
#include "ranks/transport.hpp"
#include "ranks/tree.hpp"

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
  enum class Stage { collect, data, pass, spread };
  /// A head, and what follows it.
  using Message = std::vector<char>;
  struct Child {
    Message message;
    std::vector<char> data;  // if it does not fit the message
  };
  void begin(Collective& step, const Doing& doing, void* result, std::size_t bytes);
  void send(const void* data, std::size_t bytes, int to, int tag);
  void receive(void* data, std::size_t bytes, int from, int tag);
  /// Sends what is received only if the ranks do the same.
  void send_data(int to, int tag);
  void compare();
  void pass();
  void spread();
  void give_up_data();
  [[nodiscard]] bool fits_message(std::size_t ranks) const noexcept;
  [[nodiscard]] const char* data_of(std::size_t child) const noexcept;
  Collective* end();
  [[nodiscard]] int tag(int base) const noexcept;

  MPI_Comm all_ = MPI_COMM_NULL;
  int rank_ = 0;
  std::size_t ranks_ = 1;
  TreePlace place_;
  std::vector<std::size_t> sizes_below_;  // ranks below each child
  Collective* step_ = nullptr;
  Stage stage_ = Stage::collect;
  unsigned number_ = 0;  // of the step
  bool gathers_ = false;
  std::size_t each_ = 0;  // bytes of a rank
  void* result_ = nullptr;
  std::size_t result_bytes_ = 0;
  StepHead head_;
  // Not the caller's memory, which MPI would write to after the step was given up.
  std::vector<Child> children_;
  Message up_;
  Message down_;
  std::vector<char> data_;  // of this rank and, in a gather, those below it
  MPI_Request data_sent_ = MPI_REQUEST_NULL;
  std::vector<MPI_Request> requests_;
};

}  // namespace charm::remote
