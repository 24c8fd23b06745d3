// Counters that tell what a test wants, so that it decides what the controller decides.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "counters/source.hpp"

namespace charm::test {

/// Counters that tell what a test wants: as many fills of each source in every reading.
class Scripted final : public counters::Source {
 public:
  struct Rates {
    std::atomic<std::uint64_t> other_chiplet{0};
    int only_worker = -1;  // the others see no fills; negative: all do
  };
  explicit Scripted(Rates& rates) : rates_(rates) {}
  std::unique_ptr<counters::ThreadCounters> open_for_this_thread(int worker) override {
    return std::make_unique<Thread>(rates_, rates_.only_worker < 0 || rates_.only_worker == worker);
  }
  [[nodiscard]] counters::Description describe() const override { return {}; }

 private:
  class Thread final : public counters::ThreadCounters {
   public:
    Thread(Rates& rates, bool fills) : rates_(rates), fills_(fills) {}
    counters::Reading read() noexcept override {
      using counters::FillSource;
      total_.instructions += 1000000;
      total_.fills[index(FillSource::other_chiplet)] += fills_ ? rates_.other_chiplet.load() : 0;
      total_.has.instructions = true;
      total_.has.fills = {FillSource::other_chiplet};
      return total_;
    }

   private:
    Rates& rates_;
    bool fills_;
    counters::Reading total_;
  };
  Rates& rates_;
};

}  // namespace charm::test
