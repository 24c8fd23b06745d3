// Weights that follow the machine's memory traffic: a source, a sampler, and the file that programs under the malloc
// read. Used by `charm malloc sample` for all programs, and by `charm run --malloc-live` for one.
#pragma once

#include <memory>
#include <string>

#include "tools/cli/malloc/source.hpp"
#include "tools/memory_traffic/own_counts.hpp"
#include "tools/memory_traffic/sampler.hpp"
#include "tools/memory_traffic/source.hpp"
#include "tools/os/sequenced_file.hpp"

namespace charm::cli {

class LiveWeights {
 public:
  /// Writes the weights of the idle machine at once. \param words of memory_traffic::open_source. \param path of the
  /// page.
  /// \param for_all other users' programs may read it, too.
  /// \throws Error: there is no such source, the file cannot be had, or somebody else keeps it up to date.
  LiveWeights(const WeightSource& from, const std::string& words, const std::string& path, bool for_all);

  /// Reads the traffic and writes the weights. \return whether these have changed.
  /// \throws Error (system) where the file cannot be written or has been replaced.
  bool step();
  /// Writes the weights of the idle machine again, because the remaining file must not reflect traffic that nobody
  /// watches any more.
  void leave();

  [[nodiscard]] const memory_traffic::TrafficSource& source() const { return *source_; }
  [[nodiscard]] const memory_traffic::Sampler& sampler() const { return sampler_; }
  /// The last reading, of all programs.
  [[nodiscard]] const memory_traffic::Bandwidths& reading() const { return reading_; }
  /// The part of it that is counted as that of programs under the malloc.
  [[nodiscard]] const memory_traffic::Bandwidths& own() const { return own_; }
  /// How that is known.
  [[nodiscard]] const memory_traffic::OwnTraffic& programs() const { return programs_; }
  [[nodiscard]] const memory_traffic::Model& model() const { return from_.model; }
  [[nodiscard]] const std::string& path() const { return file_->path(); }

 private:
  void write(memory::WeightPage page, bool live);

  WeightSource from_;
  std::string kind_;
  std::unique_ptr<memory_traffic::TrafficSource> source_;
  memory_traffic::Sampler sampler_;
  memory_traffic::OwnTraffic programs_;
  std::unique_ptr<os::SequencedFile> file_;
  memory_traffic::Bandwidths reading_, own_;
};

/// Describes the weights in a file: "exact, by the traffic of amd, 0.2 s ago"; empty if there are none.
std::string state_of_weights(const std::string& path);

}  // namespace charm::cli
