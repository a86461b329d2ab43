// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace wafertlm::validate {

/// A published measurement: a line of a table of them, as it is written.
struct ValidationRow {
  std::string id;
  std::string system;     ///< "H100 node (ND H100 v5)"
  std::string ranks;      ///< "8"; may be words
  std::string topology;   ///< facts: "8 GPUs, NVLink 4 450 GB/s, NVLS"
  std::string operation;  ///< "all-reduce (NCCL)"
  std::string size;       ///< of the message, or model and parallelism
  std::string measured;   ///< as written
  std::string unit;       ///< "us", "GB/s busbw"
  std::string source, notes;
  // Of YAML alone: in place of the preset that the system's name stands for.
  std::string preset;                ///< platform; empty: by the system's name
  std::vector<std::string> changes;  ///< of it, as of `--set`
  bool calibrates = false;           ///< gives the sustained rate of its machine, framework and precision
  std::string place;                 ///< "rows.csv:12", for messages

  double value = 0;       ///< of `measured`
  bool is_value = false;  ///< `measured` is a number, not a bound or words
};

/// What the platform says in place of a measurement.
struct Answer {
  double simulated = 0;               ///< in the row's unit
  std::optional<double> closed_form;  ///< the same by vendors' constants alone, without simulation
  std::string how;                    ///< preset, algorithm, what was simulated
  std::string calibrated_by;          ///< ids of the open rows whose values went in; empty: none
};

/// A row that cannot be said, and why; it counts as missed.
class CannotSay : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The input is wrong. `what()` begins with the row's place.
std::invalid_argument bad_row(const ValidationRow& row, const std::string& what);

}  // namespace wafertlm::validate
