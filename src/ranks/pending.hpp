// The calls of this rank whose replies have not come. A call is identified by a number that is never used twice, so a
// reply that comes after its call was given up is dropped.
#pragma once

#include <charm/detail/remote.hpp>
#include <charm/detail/wait_list.hpp>

#include <cstdint>
#include <mutex>
#include <vector>

namespace charm::remote {

class PendingCalls {
 public:
  void add(detail::Pending& pending) {
    const std::lock_guard guard(lock_);
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(places_.size()));
      places_.push_back({});
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    pending.id = std::uint64_t{++places_[place].use} << 32 | place;
    places_[place].call = &pending;
  }

  /// \return the call, which is not pending any more; nullptr if it was taken before.
  detail::Pending* take(std::uint64_t id) noexcept {
    const std::lock_guard guard(lock_);
    const auto place = static_cast<std::uint32_t>(id);
    if (place >= places_.size() || places_[place].use != static_cast<std::uint32_t>(id >> 32)) return nullptr;
    return take_at(place);
  }

  /// Any call to a rank; nullptr if there is none.
  detail::Pending* take_any_to(int rank) noexcept {
    const std::lock_guard guard(lock_);
    for (std::uint32_t place = 0; place < places_.size(); ++place) {
      if (places_[place].call != nullptr && places_[place].call->rank == rank) return take_at(place);
    }
    return nullptr;
  }

 private:
  struct Place {
    detail::Pending* call = nullptr;
    std::uint32_t use = 0;
  };
  detail::Pending* take_at(std::uint32_t place) noexcept {
    detail::Pending* call = std::exchange(places_[place].call, nullptr);
    if (call != nullptr) free_.push_back(place);  // it has room: as many places are free as were made
    return call;
  }
  charm::detail::SpinLock lock_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_;
};

}  // namespace charm::remote
