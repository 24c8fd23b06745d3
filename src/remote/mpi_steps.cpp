#include "remote/mpi_steps.hpp"

#include <cstring>
#include <utility>

namespace charm::remote {
namespace {

constexpr int up_tag = 31000;
constexpr int down_tag = 31001;
constexpr int root_tag = 31002;  // from the root of a broadcast to the root of the tree

}  // namespace

void MpiSteps::start(MPI_Comm all, int rank, const std::vector<TreePlace>& tree) {
  all_ = all;
  rank_ = rank;
  ranks_ = tree.size();
  place_ = tree[static_cast<std::size_t>(rank)];
  for (const int child : place_.children) sizes_below_.push_back(tree[static_cast<std::size_t>(child)].below.size());
}

void MpiSteps::gather(Collective& step, const void* mine, std::size_t bytes, void* all) {
  begin(step, all, bytes * ranks_);
  gathers_ = true;
  each_ = bytes;
  below_.resize(bytes * place_.below.size());
  if (bytes > 0) std::memcpy(below_.data(), mine, bytes);
  std::size_t at = bytes;
  for (std::size_t i = 0; i < place_.children.size(); ++i) {
    receive(below_.data() + at, bytes * sizes_below_[i], place_.children[i], up_tag);
    at += bytes * sizes_below_[i];
  }
}

void MpiSteps::broadcast(Collective& step, void* data, std::size_t bytes, int root) {
  begin(step, data, bytes);
  gathers_ = false;
  if (rank_ == root && bytes > 0) std::memcpy(whole_.data(), data, bytes);
  if (root == 0) return;
  if (rank_ == root) send(whole_.data(), bytes, 0, root_tag);
  if (rank_ == 0) receive(whole_.data(), bytes, root, root_tag);
}

Collective* MpiSteps::advance() {
  for (;;) {
    int all = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE);
    if (all == 0) return nullptr;
    requests_.clear();
    switch (stage_) {
      case Stage::collect:
        pass();
        break;
      case Stage::pass:
        spread();
        break;
      case Stage::spread:
        if (!whole_.empty()) std::memcpy(result_, whole_.data(), whole_.size());
        return std::exchange(step_, nullptr);
    }
  }
}

/// What was collected goes up, and the result comes down.
void MpiSteps::pass() {
  stage_ = Stage::pass;
  if (place_.parent >= 0) {
    if (gathers_) send(below_.data(), below_.size(), place_.parent, up_tag);
    receive(whole_.data(), whole_.size(), place_.parent, down_tag);
  } else if (gathers_ && each_ > 0) {
    for (std::size_t i = 0; i < place_.below.size(); ++i)
      std::memcpy(whole_.data() + each_ * static_cast<std::size_t>(place_.below[i]), below_.data() + each_ * i, each_);
  }
}

void MpiSteps::spread() {
  stage_ = Stage::spread;
  for (const int child : place_.children) send(whole_.data(), whole_.size(), child, down_tag);
}

void MpiSteps::begin(Collective& step, void* result, std::size_t bytes) {
  step_ = &step;
  stage_ = Stage::collect;
  result_ = result;
  whole_.resize(bytes);
}

void MpiSteps::send(const void* data, std::size_t bytes, int to, int tag) {
  MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, tag, all_, &requests_.emplace_back(MPI_REQUEST_NULL));
}

void MpiSteps::receive(void* data, std::size_t bytes, int from, int tag) {
  MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, tag, all_, &requests_.emplace_back(MPI_REQUEST_NULL));
}

}  // namespace charm::remote
