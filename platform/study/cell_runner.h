// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/study/grid.h"

namespace wafertlm {

/// A line on stderr that says how far a study is: on a terminal one that changes, else one now and then.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  struct State {
    std::size_t all = 0, done = 0, recalled = 0, failed = 0, running = 0;
  };
  /// `started`: when the cells of this State began.
  void show(const std::string& what, const State& state, std::chrono::steady_clock::time_point started);

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point shown_;
};

/// What a cell came to.
struct CellOutcome {
  std::map<std::string, nlohmann::json> values;  ///< by name of a column that reads
  std::string error;                             ///< empty: none
};

/// Runs cells, as many at a time as it may, and keeps what the columns read from each in
/// folder/cells/<digest of its input>.json: what is there is not run again. A cell that fails leaves its
/// output in folder/cells/<digest>/.
class CellRunner {
 public:
  CellRunner(const config::StudySpec& study, std::filesystem::path folder, unsigned jobs);

  /// The outcomes in the order of `jobs`. @throws std::runtime_error: interrupted.
  std::vector<CellOutcome> run(const std::vector<CellJob>& jobs, const std::string& what);

 private:
  bool recall(const CellJob& job, CellOutcome& outcome) const;
  CellOutcome finish(const CellJob& job, const std::string& problem) const;
  std::string digest_of(const CellJob& job) const;

  const config::StudySpec& study_;
  std::filesystem::path folder_;
  unsigned jobs_;
  Progress progress_;
};

}  // namespace wafertlm
