// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/commands/tune/assignment.h"
#include "platform/commands/tune/inputs.h"
#include "platform/commands/tune/measure.h"

namespace wafertlm::tune {

/// One way to give the operations of a sequence to backends.
struct Choice {
  std::string name;
  std::string backend;  ///< of all; empty: mixed
  backends::Assignment assignment;
  TimePs iteration_ps = 0;  ///< by the stream rules
};

/// The sequence with what each backend takes, and the choices: each backend alone that can do all, the
/// fastest for each operation, the shortest path.
class SequenceStudy {
 public:
  /// @throws std::invalid_argument, naming the step: an operation that no backend can do, or that was not
  /// measured.
  SequenceStudy(const TuneSpec& spec, const std::vector<MeasuredPoint>& points);

  const std::vector<Choice>& choices() const { return choices_; }
  const Choice& path() const { return choices_.back(); }
  /// The fastest single backend; null: none can do all.
  const Choice* best_single() const;
  TimePs compute_ps() const { return compute_ps_; }
  std::size_t operations() const { return costs_.operations.size(); }
  /// "24 x all_to_all 2 MiB: X", a line for each run of equal operations with one backend.
  std::vector<std::string> path_lines() const;

 private:
  struct Step {
    const SequenceSpec* spec;
    std::size_t operation;  // of communications
  };

  std::vector<TimePs> costs_of(const SequenceSpec& step, const std::vector<MeasuredPoint>& points) const;
  void add(const std::string& name, const std::string& backend, backends::Assignment assignment);

  std::vector<backends::Backend> backends_;
  std::vector<Step> steps_;
  backends::SequenceCosts costs_;
  TimePs compute_ps_ = 0;
  std::vector<Choice> choices_;
};

/// The deadlock of the file's operations, and whether each cure removes it. `cycle` is empty without one.
nlohmann::ordered_json deadlock_json(const TuneSpec& spec);

}  // namespace wafertlm::tune
