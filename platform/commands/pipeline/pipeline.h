// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace wafertlm::pipelines {

/// A layer of a chain, for one input.
struct Layer {
  std::string name;
  double operations = 0;
  double bytes = 0;         ///< that it moves to and from memory
  double output_bytes = 0;  ///< that the next layer needs
};

/// A chiplet or NPU that can run one stage.
struct Place {
  std::string name;
  double speed = 1;      ///< operations per second
  double bandwidth = 0;  ///< bytes per second of its memory; 0: memory never limits
  double link = 0;       ///< bytes per second to the next stage; 0: transfers take no time
};

/// Layers [end of the stage before, end) run on a place.
struct Stage {
  std::size_t end = 0, place = 0;
  bool operator==(const Stage& other) const { return end == other.end && place == other.place; }
};
using Schedule = std::vector<Stage>;

/// What running a schedule tells, in seconds per input.
struct Measured {
  std::vector<double> stages;  ///< how long each stage is busy with one input
  double period = 0;           ///< between two inputs that leave the pipeline
};

struct Problem {
  std::vector<Layer> layers;
  std::vector<Place> places;
  /// How a schedule is measured; empty: by StageTimes, whose slowest stage is the period.
  std::function<Measured(const Schedule&)> measure = {};
};

/// The first layer of a stage.
inline std::size_t begin_of(const Schedule& schedule, std::size_t stage) {
  return stage == 0 ? 0 : schedule[stage - 1].end;
}

/// Seconds of a stage with layers [begin, end): max(operations / speed, bytes / bandwidth) + transfer of the
/// last layer's output, which the last stage of all has none of (the model of Shisha, arXiv 2202.11575).
class StageTimes {
 public:
  explicit StageTimes(const Problem& problem);
  double operator()(std::size_t begin, std::size_t end, std::size_t place) const;
  std::vector<double> of(const Schedule& schedule) const;

 private:
  const Problem& problem_;
  std::vector<double> operations_, bytes_;  ///< of all layers before
};

/// Counts what the searches measure: one evaluation is one schedule run, also of one that was run before.
class Evaluator {
 public:
  explicit Evaluator(const Problem& problem) : problem_(problem), times_(problem) {}
  Measured measure(const Schedule& schedule) {
    ++count_;
    return problem_.measure ? problem_.measure(schedule) : predicted(schedule);
  }
  std::size_t count() const { return count_; }

 private:
  Measured predicted(const Schedule& schedule) const;

  const Problem& problem_;
  StageTimes times_;
  std::size_t count_ = 0;
};

/// What a search found.
struct Found {
  Schedule schedule;
  double time = 0;  ///< per input; without Problem::measure that of the slowest stage
  std::size_t evaluations = 0;
};

/// @throws std::invalid_argument, saying what is wrong: no layers or places, more than 16 places, values that
/// are negative or not finite, a speed of 0.
void require_valid(const Problem& problem);

}  // namespace wafertlm::pipelines
