// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/pipeline/pipeline.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace wafertlm::pipelines {

StageTimes::StageTimes(const Problem& problem) : problem_(problem), operations_{0}, bytes_{0} {
  for (const Layer& layer : problem.layers) {
    operations_.push_back(operations_.back() + layer.operations);
    bytes_.push_back(bytes_.back() + layer.bytes);
  }
}

double StageTimes::operator()(std::size_t begin, std::size_t end, std::size_t place) const {
  const Place& on = problem_.places[place];
  double time = (operations_[end] - operations_[begin]) / on.speed;
  if (on.bandwidth > 0) time = std::max(time, (bytes_[end] - bytes_[begin]) / on.bandwidth);
  if (on.link > 0 && end < problem_.layers.size()) time += problem_.layers[end - 1].output_bytes / on.link;
  return time;
}

std::vector<double> StageTimes::of(const Schedule& schedule) const {
  std::vector<double> times;
  std::size_t begin = 0;
  for (const Stage& stage : schedule) {
    times.push_back((*this)(begin, stage.end, stage.place));
    begin = stage.end;
  }
  return times;
}

Measured Evaluator::predicted(const Schedule& schedule) const {
  Measured measured{times_.of(schedule), 0};
  measured.period = *std::max_element(measured.stages.begin(), measured.stages.end());
  return measured;
}

void require_valid(const Problem& problem) {
  if (problem.layers.empty()) throw std::invalid_argument("there are no layers");
  if (problem.places.empty() || problem.places.size() > 16)
    throw std::invalid_argument("there must be 1 to 16 places");
  const auto is_amount = [](double value) { return std::isfinite(value) && value >= 0; };
  for (const Layer& layer : problem.layers)
    if (!is_amount(layer.operations) || !is_amount(layer.bytes) || !is_amount(layer.output_bytes))
      throw std::invalid_argument("layer '" + layer.name + "': values must be 0 or more");
  for (const Place& place : problem.places)
    if (!is_amount(place.speed) || place.speed == 0 || !is_amount(place.bandwidth) || !is_amount(place.link))
      throw std::invalid_argument("place '" + place.name +
                                  "': the speed must be more than 0, rates 0 or more");
}

}  // namespace wafertlm::pipelines
