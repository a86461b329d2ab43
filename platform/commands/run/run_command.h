// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/describe/node.h"

namespace wafertlm {

struct Job;
class Seat;
class Transport;

struct ExperimentOptions {
  std::string experiment, out;  ///< a file, a folder
  std::vector<std::string> overrides;
  std::optional<config::Node> converted = {};  ///< in place of the file `experiment`, which is only its name
  /// Names and texts of files that go with the results.
  std::vector<std::pair<std::string, std::string>> with_results = {};
  std::string vcd = {};                              ///< a file for the waveforms of all links; empty: none
  std::vector<std::string> signals = {};             ///< chosen signals in place of all links
  std::string report = {};                           ///< name of the report in the folder; empty: none
  std::vector<std::string> trace = {};               ///< what the timeline holds; empty: none
  std::string trace_file = {};                       ///< empty: in the folder
  std::vector<std::string> log = {};                 ///< sockets of the transaction log; empty: none
  bool force = false;                                ///< also if there is too little memory
  std::uint32_t processes = 1;                       ///< that simulate it together
  std::string dealing = {};                          ///< a table of wafers and processes; empty: by load
  std::function<void(const Job&)> when_loaded = {};  ///< called before anything is simulated or written
};
struct ExperimentRun {
  nlohmann::ordered_json results;
  std::string summary;       ///< what is printed, with the names of the files that have been written
  std::string failure = {};  ///< RTL that differs from its model; empty: none
};
/// Runs an experiment file and writes its results. @throws as the command does
ExperimentRun run_experiment(const ExperimentOptions& options);
/// The same as one of several processes; the first writes the results, the others get none.
/// `seat`: of this process. @throws OtherFailed, too
ExperimentRun run_as_process(const ExperimentOptions& options, Transport& transport, Seat& seat);

}  // namespace wafertlm
