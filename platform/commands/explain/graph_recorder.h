// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "platform/commands/explain/recorded_graph.h"
#include "platform/run/job_run.h"
#include "platform/run/run_observer.h"

namespace wafertlm {

/// Makes the graph of a run: what ran and when comes from the run, what waits for what from the traces.
class GraphRecorder final : public RunObserver {
 public:
  explicit GraphRecorder(std::uint32_t ranks) : done_(ranks) {}

  void operation_started(std::uint32_t rank, const Task& task, TimePs now) override;
  void operation_ended(std::uint32_t rank, const Task& task, TimePs start_ps, TimePs end_ps) override;

  struct Recorded {
    /// Which operation: of a rank, in an iteration, its node; kEnd: where the rank's iteration ends.
    struct Key {
      std::uint32_t rank, iteration;
      std::uint64_t node;
      bool operator<(const Key& other) const {
        return std::tie(rank, iteration, node) < std::tie(other.rank, other.iteration, other.node);
      }
    };
    static constexpr std::uint64_t kEnd = ~std::uint64_t{0};
    RecordedGraph graph;
    std::vector<std::string> categories;  ///< "compute", "cpu", "memory", traffic classes; "" is nothing
    std::vector<Key> keys;                ///< by operation
    /// Time of the last iteration, of when the operations end.
    TimePs iteration_ps(const std::vector<TimePs>& ends) const;
  };
  /// After the run; reads the traces once more.
  Recorded graph(const JobRun& run, const config::ExperimentSpec& experiment);

 private:
  struct Done {
    std::uint64_t node;
    TimePs start_ps, end_ps;
    Task::Kind kind;
    std::string category, resource;  // what takes one at a time; "" if nothing does
    std::string meeting;             // the same at all who meet; "" if nobody does
  };
  std::vector<std::map<std::uint64_t, TimePs>> open_;
  std::vector<std::vector<Done>> done_;  // by rank, in the order of their ends
};

}  // namespace wafertlm
