// Reads LIBSVM files (see libsvm.hpp). Blocks of text are parsed by all workers, in pieces; the pieces are then checked
// in the order of the file, so that of several errors the first in the file is reported.
#include "workloads/sgd/libsvm.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "workloads/executor/parts.hpp"
#include "workloads/files/fields.hpp"
#include "workloads/files/text.hpp"
#include "workloads/graph/random.hpp"
#include "workloads/sgd/executors.hpp"

namespace charm::workloads {
namespace {

constexpr std::int64_t highest_feature = std::numeric_limits<Column>::max();
constexpr double dense_from = .5;

struct LabelSeen {
  double value = 0;
  const char* at = nullptr;
};

/// What a worker makes of some lines.
struct SamplePiece {
  std::string_view text;
  std::vector<double> labels;
  std::vector<Index> sizes;     // entries of each row
  std::vector<Column> columns;  // as the file counts them
  std::vector<float> values;
  bool from_zero = false;            // a row has feature 0
  std::vector<LabelSeen> different;  // the first three different labels
  std::optional<FieldError> error;
};

std::optional<FieldError> read_finite(std::string_view field, const char* kind, double& value) {
  if (const auto number = number_in(field);
      number && std::fabs(*number) <= static_cast<double>(std::numeric_limits<float>::max())) {
    value = *number;
    return {};
  }
  return FieldError{field.data(), fmt::format("{} {} is not a finite number", kind, shown(field)),
                    "use decimal numbers in the range of single precision"};
}

std::optional<FieldError> read_entry(std::string_view field, SamplePiece& piece, std::int64_t& before) {
  const std::size_t colon = field.find(':');
  if (colon == std::string_view::npos)
    return FieldError{field.data(), fmt::format("{} is not a feature and a value", shown(field)),
                      "write `label feature:value feature:value ...`"};
  if (field.substr(0, colon) == "qid")
    return FieldError{field.data(), "the line has a query (qid), which belongs to ranking", "remove it"};
  std::int64_t feature = 0;
  if (auto wrong = read_whole(field.substr(0, colon), "feature", 0, highest_feature, feature)) {
    wrong->remedy = fmt::format("number features from 1 (or 0) to {}", highest_feature);
    return wrong;
  }
  if (feature <= before)
    return FieldError{field.data(), fmt::format("feature {} follows feature {}", feature, before),
                      "write each feature of a row once, in ascending order"};
  double value = 0;
  if (auto wrong = read_finite(field.substr(colon + 1), "value", value)) return wrong;
  before = feature;
  piece.from_zero = piece.from_zero || feature == 0;
  if (value == 0) return {};
  piece.columns.push_back(static_cast<Column>(feature));
  piece.values.push_back(static_cast<float>(value));
  return {};
}

void note_label(std::vector<LabelSeen>& seen, double value, const char* at) {
  if (seen.size() > 2) return;
  if (std::none_of(seen.begin(), seen.end(), [&](const LabelSeen& one) { return one.value == value; }))
    seen.push_back({value, at});
}

void parse(SamplePiece& piece) {
  for (std::string_view text = piece.text; !text.empty();) {
    std::string_view line = take_line(text);
    line = line.substr(0, line.find('#'));
    const std::string_view label = take_field(line);
    if (label.empty()) continue;
    double value = 0;
    if ((piece.error = read_finite(label, "label", value))) return;
    note_label(piece.different, value, label.data());
    const std::size_t first = piece.columns.size();
    std::int64_t before = -1;
    for (std::string_view field = take_field(line); !field.empty(); field = take_field(line)) {
      if ((piece.error = read_entry(field, piece, before))) return;
    }
    piece.labels.push_back(value);
    piece.sizes.push_back(static_cast<Index>(piece.columns.size() - first));
  }
}

/// All rows of a file, in its order.
struct Read {
  std::vector<SamplePiece> pieces;
  std::vector<LabelSeen> different;
  Index rows = 0;
  Index entries = 0;
  Index features = 0;
  Column first = 1;  // the number of the first feature: 0 if a row has it, as scikit-learn writes files
};

/// What was read, and what becomes of it.
void require_samples(const InputFile& input, const Read& all, bool dense) {
  const double cells = static_cast<double>(all.rows) * static_cast<double>(all.features);
  input.require((dense ? 4 * cells : 8 * static_cast<double>(all.entries)) + 8 * static_cast<double>(all.entries) +
                    60 * static_cast<double>(all.rows) + 16 * static_cast<double>(all.features),
                fmt::format("{} rows of {} features", all.rows, all.features),
                "number the features from 1 without gaps");
}

template <Executor E>
Read read_all(E& e, const InputFile& input) {
  const std::string& path = input.path();
  TextFile file(input, {"sample", "samples in the format of LIBSVM"});
  Read all;
  std::int64_t last_line = 1;
  Column highest = 0;
  for (TextBlock block = file.next(); !block.text.empty(); block = file.next()) {
    const auto fail = [&](const FieldError& error) {
      const auto before = static_cast<std::size_t>(error.at - block.text.data());
      throw bad_line(path, block.line + count_lines(block.text.substr(0, before)), error.what, error.remedy);
    };
    std::vector<SamplePiece> pieces;
    for (const std::string_view part : cut_at_lines(block.text, static_cast<std::size_t>(e.workers()) * 4))
      pieces.emplace_back().text = part;
    e.parallel_for(0, static_cast<Index>(pieces.size()), 1, [&](Index lo, Index hi) {
      for (Index i = lo; i < hi; ++i) parse(pieces[static_cast<std::size_t>(i)]);
    });
    for (auto& piece : pieces) {
      for (const auto& label : piece.different) {
        note_label(all.different, label.value, label.at);
        if (all.different.size() > 2 && (!piece.error || label.at < piece.error->at))
          fail({label.at,
                fmt::format("label {} is the third, after {} and {}", label.value, all.different[0].value,
                            all.different[1].value),
                "logistic regression tells two labels apart: keep two"});
      }
      if (piece.error) fail(*piece.error);
      all.rows += static_cast<Index>(piece.labels.size());
      all.entries += static_cast<Index>(piece.columns.size());
      for (const Column column : piece.columns) highest = std::max(highest, column);
      if (piece.from_zero) all.first = 0;
      all.features = Index{highest} + 1 - all.first;
      if (!piece.labels.empty()) all.pieces.push_back(std::move(piece));
    }
    require_samples(input, all, false);  // gzip may hold a thousand times as much as its size tells
    last_line = block.line + count_lines(block.text);
  }
  if (all.rows == 0)
    throw bad_line(path, last_line, "the file ends without a row", "write `label feature:value` lines");
  if (all.different.size() < 2)
    throw Error(Errc::bad_input, fmt::format("{}: all rows have label {}", path, all.different.front().value),
                "logistic regression tells two labels apart: give rows of both");
  if (all.entries == 0) throw Error(Errc::bad_input, path + ": no row has a value other than 0", "give features");
  return all;
}

struct Place {
  const SamplePiece* piece;
  Index row;    // in the piece
  Index first;  // its first entry there
};

/// Where each row of the samples comes from: the rows of the file, shuffled.
std::vector<Place> shuffled(const Read& all, std::uint64_t seed) {
  std::vector<Place> places;
  places.reserve(static_cast<std::size_t>(all.rows));
  for (const auto& piece : all.pieces) {
    Index first = 0;
    for (std::size_t row = 0; row < piece.labels.size(); ++row) {
      places.push_back({&piece, static_cast<Index>(row), first});
      first += piece.sizes[row];
    }
  }
  for (std::size_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[random_at(seed, i) % i]);
  return places;
}

Index size_of(const Place& place) { return place.piece->sizes[static_cast<std::size_t>(place.row)]; }

/// 1 / the largest magnitude of each feature; empty if no value is above 1.
std::vector<float> scales_of(const Read& all) {
  std::vector<float> largest(static_cast<std::size_t>(all.features), 0.0F);
  for (const auto& piece : all.pieces) {
    for (std::size_t i = 0; i < piece.columns.size(); ++i) {
      float& most = largest[static_cast<std::size_t>(piece.columns[i] - all.first)];
      most = std::max(most, std::fabs(piece.values[i]));
    }
  }
  if (std::all_of(largest.begin(), largest.end(), [](float most) { return most <= 1; })) return {};
  for (float& most : largest) most = most > 0 ? 1 / most : 1;
  return largest;
}

}  // namespace

template <Executor E>
LoadedSamples load_libsvm(E& e, const InputFile& input, std::uint64_t seed, bool scale) {
  const Read all = read_all(e, input);
  const double cells = static_cast<double>(all.rows) * static_cast<double>(all.features);
  const bool dense = static_cast<double>(all.entries) >= dense_from * cells;
  require_samples(input, all, dense);
  const std::vector<float> scales = scale ? scales_of(all) : std::vector<float>();
  const std::vector<Place> places = shuffled(all, seed);

  LoadedSamples loaded;
  loaded.negative = std::min(all.different[0].value, all.different[1].value);
  loaded.positive = std::max(all.different[0].value, all.different[1].value);
  loaded.scaled = !scales.empty();
  const ArrayPlacement& placement = array_placement_of(e);
  if (dense) {
    loaded.samples = dense_samples(placement, all.rows, all.features);
  } else {
    auto offsets = placement.split<Index>(all.rows + 1);
    offsets[0] = 0;
    for (Index row = 0; row < all.rows; ++row)
      offsets[row + 1] = offsets[row] + size_of(places[static_cast<std::size_t>(row)]);
    loaded.samples = sparse_samples(placement, all.rows, all.features, std::move(offsets));
  }
  Samples& samples = loaded.samples;
  for_parts(e, all.rows, 1024, [&](Index lo, Index hi) {
    for (Index row = lo; row < hi; ++row) {
      const Place& place = places[static_cast<std::size_t>(row)];
      samples.labels[row] = place.piece->labels[static_cast<std::size_t>(place.row)] == loaded.positive ? 1 : -1;
      float* const dense_row = dense ? &samples.values[row * all.features] : nullptr;
      if (dense) std::fill(dense_row, dense_row + all.features, 0.0F);
      for (Index k = 0; k < size_of(place); ++k) {
        const auto from = static_cast<std::size_t>(place.first + k);
        const Column column = place.piece->columns[from] - all.first;
        const float value = place.piece->values[from] * (scales.empty() ? 1 : scales[static_cast<std::size_t>(column)]);
        if (dense) {
          dense_row[column] = value;
        } else {
          samples.columns[samples.offsets[row] + k] = column;
          samples.values[samples.offsets[row] + k] = value;
        }
      }
    }
  });
  return loaded;
}

#define CHARM_WORKLOADS_INSTANTIATE(Type) \
  template LoadedSamples load_libsvm<Type>(Type&, const InputFile&, std::uint64_t, bool);
CHARM_SGD_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)
#undef CHARM_WORKLOADS_INSTANTIATE

}  // namespace charm::workloads
