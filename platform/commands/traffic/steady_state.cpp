// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/traffic/steady_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace wafertlm::traffic {
namespace {

constexpr std::size_t kMserBatch = 5;

std::vector<double> means_of(const std::vector<double>& series, std::size_t size) {
  std::vector<double> means;
  for (std::size_t i = 0; i + size <= series.size(); i += size) {
    double sum = 0;
    for (std::size_t k = i; k < i + size; ++k) sum += series[k];
    means.push_back(sum / static_cast<double>(size));
  }
  return means;
}

}  // namespace

std::size_t mser5_truncation(const std::vector<double>& series) {
  const std::vector<double> means = means_of(series, kMserBatch);
  constexpr std::size_t kLeast = 5;  // fewer have a small error by chance
  if (means.size() < 2 * kLeast) return 0;
  double sum = 0, squares = 0, best_error = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  const double origin = means.back();  // keeps the difference of squares exact
  for (std::size_t first = means.size(); first-- > 0;) {
    const double value = means[first] - origin;
    sum += value;
    squares += value * value;
    const auto count = static_cast<double>(means.size() - first);
    const double error = (squares - sum * sum / count) / (count * count);
    if (means.size() - first >= kLeast && error <= best_error) best_error = error, best = first;
  }
  return best * kMserBatch;
}

BatchMeans batch_means(const std::vector<double>& series, std::size_t first) {
  constexpr std::size_t count = BatchMeans::kBatches;
  constexpr double kStudent19 = 2.093;
  if (series.size() < first + count) throw std::invalid_argument("20 batches need 20 values");
  const std::size_t length = series.size() - first;
  std::array<double, count> batch{};
  BatchMeans result;
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t from = first + length * b / count, to = first + length * (b + 1) / count;
    for (std::size_t i = from; i < to; ++i) batch[b] += series[i];
    result.mean += batch[b];
    batch[b] /= static_cast<double>(to - from);
  }
  result.mean /= static_cast<double>(length);

  double centre = 0, squares = 0, products = 0, with_time = 0, time_squares = 0;
  for (const double value : batch) centre += value / count;
  for (std::size_t b = 0; b < count; ++b) {
    const double off = batch[b] - centre, time = static_cast<double>(b) - (count - 1) / 2.0;
    squares += off * off;
    with_time += off * time;
    time_squares += time * time;
    if (b + 1 < count) products += off * (batch[b + 1] - centre);
  }
  if (squares <= 1e-24 * centre * centre) return result;  // a constant, but for rounding
  result.half_width = kStudent19 * std::sqrt(squares / (count - 1) / count);
  result.lag_one = products / squares;
  const double slope = with_time / time_squares;
  const double rest = std::max(squares - slope * with_time, squares * 1e-12);
  result.slope_t = slope / std::sqrt(rest / (count - 2) / time_squares);
  return result;
}

bool is_steady(const std::vector<double>& series) {
  constexpr std::size_t kLeast = 100;
  constexpr double kStudent18 = 3.610, kMostCorrelation = 0.53;
  if (series.size() < kLeast) return false;
  const BatchMeans rest = batch_means(series, std::min(mser5_truncation(series), series.size() / 2));
  return std::abs(rest.slope_t) < kStudent18 && rest.lag_one < kMostCorrelation;
}

}  // namespace wafertlm::traffic
