#include "ranks/mpi_steps.hpp"

#include <cstring>
#include <utility>

namespace charm::remote {
namespace {

// Each step has tags of its own, so that nothing of one that has failed is taken for a later one's.
constexpr int up_tag = 30100;
constexpr int data_tag = 30101;  // to the parent, or from the root of a broadcast to the root of the tree
constexpr int down_tag = 30102;
constexpr int tags_of_step = 3;
constexpr int numbered_steps = 800;  // tags below 2^15, which every MPI library has

constexpr std::size_t inline_bytes = 1024;

void write_head(std::vector<char>& message, const StepHead& head) { std::memcpy(message.data(), &head, sizeof head); }

}  // namespace

void MpiSteps::start(MPI_Comm all, int rank, const std::vector<TreePlace>& tree) {
  all_ = all;
  rank_ = rank;
  ranks_ = tree.size();
  place_ = tree[static_cast<std::size_t>(rank)];
  for (const int child : place_.children) sizes_below_.push_back(tree[static_cast<std::size_t>(child)].below.size());
  children_.resize(place_.children.size());
}

int MpiSteps::tag(int base) const noexcept { return base + tags_of_step * static_cast<int>(number_ % numbered_steps); }

bool MpiSteps::fits_message(std::size_t ranks) const noexcept { return each_ * ranks <= inline_bytes; }

const char* MpiSteps::data_of(std::size_t child) const noexcept {
  return fits_message(sizes_below_[child]) ? children_[child].message.data() + sizeof(StepHead)
                                           : children_[child].data.data();
}

void MpiSteps::gather(Collective& step, const void* mine, std::size_t bytes, void* all) {
  gathers_ = true;
  each_ = bytes;
  data_.resize(bytes * place_.below.size());
  if (bytes > 0) std::memcpy(data_.data(), mine, bytes);
  begin(step, {rank_, step.kind, -1, 0, bytes}, all, bytes * ranks_);
}

void MpiSteps::broadcast(Collective& step, void* data, std::size_t bytes, int root) {
  gathers_ = false;
  each_ = 0;
  begin(step, {rank_, step.kind, root, 0, bytes}, data, bytes);
  if (rank_ != root) return;
  data_.assign(static_cast<const char*>(data), static_cast<const char*>(data) + bytes);
  if (root != 0) send_data(0, tag(data_tag));
}

void MpiSteps::begin(Collective& step, const Doing& doing, void* result, std::size_t bytes) {
  step_ = &step;
  ++number_;
  stage_ = Stage::collect;
  head_ = {doing, {}};
  result_ = result;
  result_bytes_ = bytes;
  for (std::size_t i = 0; i < children_.size(); ++i) {
    Message& message = children_[i].message;
    message.resize(sizeof(StepHead) + inline_bytes);
    receive(message.data(), message.size(), place_.children[i], tag(up_tag));
  }
}

Collective* MpiSteps::advance() {
  for (;;) {
    int all = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE);
    if (all == 0) return nullptr;
    requests_.clear();
    switch (stage_) {
      case Stage::collect:
        compare();
        break;
      case Stage::data:
        pass();
        break;
      case Stage::pass:
        spread();
        break;
      case Stage::spread:
        return end();
    }
  }
}

/// The heads are there, and what is short.
void MpiSteps::compare() {
  stage_ = Stage::data;
  for (const Child& child : children_) {
    StepHead below;
    std::memcpy(&below, child.message.data(), sizeof below);
    head_.add(below);
  }
  if (head_.differs()) return;
  for (std::size_t i = 0; i < children_.size(); ++i) {
    if (fits_message(sizes_below_[i])) continue;
    std::vector<char>& data = children_[i].data;
    data.resize(each_ * sizes_below_[i]);
    receive(data.data(), data.size(), place_.children[i], tag(data_tag));
  }
}

/// What was collected goes up, and the result comes down.
void MpiSteps::pass() {
  stage_ = Stage::pass;
  const bool collected = gathers_ && !head_.differs() && each_ > 0;
  if (collected) {
    char* at = data_.data() + each_;
    for (std::size_t i = 0; i < children_.size(); at += each_ * sizes_below_[i], ++i)
      std::memcpy(at, data_of(i), each_ * sizes_below_[i]);
  }
  down_.resize(sizeof(StepHead) + result_bytes_);
  char* const result = down_.data() + sizeof(StepHead);
  if (place_.parent >= 0) {
    const std::size_t follows = collected && fits_message(place_.below.size()) ? data_.size() : 0;
    up_.resize(sizeof(StepHead) + follows);
    write_head(up_, head_);
    if (follows > 0) std::memcpy(up_.data() + sizeof(StepHead), data_.data(), follows);
    send(up_.data(), up_.size(), place_.parent, tag(up_tag));
    if (collected && follows == 0) send_data(place_.parent, tag(data_tag));
    receive(down_.data(), down_.size(), place_.parent, tag(down_tag));
  } else if (collected) {
    for (std::size_t i = 0; i < place_.below.size(); ++i)
      std::memcpy(result + each_ * static_cast<std::size_t>(place_.below[i]), data_.data() + each_ * i, each_);
  } else if (!gathers_ && !head_.differs()) {
    if (head_.all.root != rank_)
      receive(result, result_bytes_, head_.all.root, tag(data_tag));
    else if (result_bytes_ > 0)
      std::memcpy(result, data_.data(), result_bytes_);
  }
}

void MpiSteps::spread() {
  stage_ = Stage::spread;
  if (place_.parent < 0)
    write_head(down_, head_);
  else
    std::memcpy(&head_, down_.data(), sizeof head_);
  const std::size_t bytes = head_.differs() ? sizeof(StepHead) : down_.size();
  for (const int child : place_.children) send(down_.data(), bytes, child, tag(down_tag));
  if (data_sent_ == MPI_REQUEST_NULL) return;
  if (head_.differs()) return give_up_data();
  requests_.push_back(std::exchange(data_sent_, MPI_REQUEST_NULL));
}

/// Nobody receives it, and MPI may read the memory as long as it runs.
void MpiSteps::give_up_data() {
  static auto& given_up = *new std::vector<std::vector<char>>;
  MPI_Request_free(&data_sent_);
  given_up.push_back(std::exchange(data_, {}));
}

Collective* MpiSteps::end() {
  if (head_.differs())
    step_->problem = head_.problem();
  else if (result_bytes_ > 0)
    std::memcpy(result_, down_.data() + sizeof(StepHead), result_bytes_);
  return std::exchange(step_, nullptr);
}

void MpiSteps::send(const void* data, std::size_t bytes, int to, int tag) {
  MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, tag, all_, &requests_.emplace_back(MPI_REQUEST_NULL));
}

void MpiSteps::send_data(int to, int tag) {
  MPI_Isend(data_.data(), static_cast<int>(data_.size()), MPI_BYTE, to, tag, all_, &data_sent_);
}

void MpiSteps::receive(void* data, std::size_t bytes, int from, int tag) {
  MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, tag, all_, &requests_.emplace_back(MPI_REQUEST_NULL));
}

}  // namespace charm::remote
