// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tlm/program/program.h"
#include "workloads/chakra/comm_groups.h"
#include "workloads/collectives/io_stream.h"
#include "workloads/collectives/planner.h"
#include "workloads/sequencer/sequencer_engine.h"

namespace wafertlm {

/// One collective of the job, from its first rank's entry to its last rank's exit.
struct CollectiveRecord {
  std::uint64_t id = 0;
  std::uint64_t sequence = 0;  ///< within its group
  std::string name, group, traffic_class;
  /// Released when all ranks have left. One; of a stream one for each I/O controller with bytes.
  std::vector<std::shared_ptr<const CollectiveProgram>> programs;
  bool io_stream = false;
  CollectiveType type{};
  std::string algorithm;
  std::uint32_t chunks = 1;  ///< of its program
  std::uint64_t bytes = 0;
  std::uint32_t group_size = 0, entered = 0, left = 0;
  bool is_out = false;  ///< of a stream: its outer ends have finished
  TimePs first_entry_ps = kNever, last_entry_ps = 0, end_ps = 0;
  double half_width_ps = 0;  ///< of its time at 95 %; 0: it was simulated
  CollectiveCost cost;
  CauseRef cause;                ///< what the last to enter waited for, until all have left
  std::vector<bool> is_in;       ///< by position in the group, until all have entered
  std::uint32_t first_rank = 0;  ///< that entered
  std::uint64_t first_node = 0;  ///< its node

  /// What streams in and out are called, and the types of others.
  std::string type_name() const;
  /// Of the program with this place in the list: different for all collectives of a job.
  std::uint64_t operation_id(std::size_t program) const {
    return io_stream ? (program + 1) << kIdBits | id : id;
  }
  static constexpr unsigned kIdBits = 48;
  static std::uint64_t record_id(std::uint64_t operation_id) {
    return operation_id & ((std::uint64_t{1} << kIdBits) - 1);
  }
  /// Ranks may still enter, or could until this very instant.
  bool gathers(TimePs now) const { return entered < group_size || last_entry_ps == now; }
};

/// Plans collectives of ranks; how, and which NPUs they have, is the platform's business. `group`: canonical
/// name of the ranks' group.
using CollectivePlanner = std::function<CollectiveRequest(
    CollectiveType, const std::string& group, const std::vector<std::uint32_t>& ranks, std::uint64_t bytes)>;
/// The same of streams through the I/O controllers.
using StreamPlanner = std::function<IoStreamRequest(CollectiveType, const std::vector<std::uint32_t>& ranks,
                                                    std::uint64_t bytes)>;

/// Matches the collectives of all ranks by (group, Task::number), checks that the ranks agree, and plans each
/// once. It takes no simulated time.
class CollectiveRegistry {
 public:
  CollectiveRegistry(const chakra::CommGroups& groups, const FabricTraits& fabric, CollectivePlanner planner,
                     StreamPlanner stream_planner = {});

  /// Groups with numbers like[g] do what group g does, itself among them; all ranks of g enter when one does.
  /// Before the first. The list must outlive this.
  void stand_for(const std::vector<std::vector<std::uint32_t>>& like) { like_ = &like; }

  /// Only these ranks enter here, and records count no others. Before the first.
  void only(std::vector<bool> ranks) { only_ = std::move(ranks); }

  using Programs = std::vector<std::shared_ptr<const CollectiveProgram>>;
  /// Plans the collectives that are like this one, before the run. @throws std::invalid_argument: the planner
  /// refuses it.
  const Programs& plan_ahead(const Task& task);

  struct Entry {
    CollectiveRecord* record;
    std::uint32_t position;  ///< of the rank in the group
  };
  /// @throws std::runtime_error naming both ranks when they disagree on type, size or class.
  Entry enter(std::uint32_t rank, const Task& task, TimePs now, const CauseRef& cause = {});
  void leave(CollectiveRecord& record, TimePs now);
  /// What the time of a rank in the collective is charged to: the collective from the last entry on; before,
  /// whatever kept the last one from entering. Before leave().
  static void explain(const CollectiveRecord& record, TaskEnd& end);

  /// Hands over and drops those that began in [from, to) and are over.
  void drop(TimePs from_ps, TimePs to_ps, const std::function<void(const CollectiveRecord&)>& last_look);
  /// By (start, id); of those that were not dropped.
  std::vector<const CollectiveRecord*> records() const;
  /// All that were entered.
  std::uint64_t total() const { return total_; }
  /// Ranks of the record's group that have not entered it, lowest first.
  std::vector<std::uint32_t> absent(const CollectiveRecord& record) const;
  /// Collectives that not all ranks have entered, with the ranks that the others wait for, in words.
  std::vector<std::pair<const CollectiveRecord*, std::string>> unfinished() const;

 private:
  using PerGroup = std::map<std::uint64_t, std::unique_ptr<CollectiveRecord>>;  // by sequence number
  struct Plan {
    Programs programs;
    CollectiveCost cost;
  };
  CollectiveRecord& open(PerGroup& group, const Task& task);
  void add_like(const CollectiveRecord& record);
  const Plan& plan_of(const Task& task);
  Plan plan(const Task& task) const;

  const chakra::CommGroups& groups_;
  const FabricTraits& fabric_;
  CollectivePlanner planner_;
  StreamPlanner stream_planner_;
  std::map<std::string, PerGroup> by_group_;
  std::uint64_t total_ = 0;
  const std::vector<std::vector<std::uint32_t>>* like_ = nullptr;  // by group; null: each rank enters itself
  std::vector<bool> only_;                                         // by rank; empty: all
  // Programs of one (group, type, stream or not, bytes) are the same: planned once.
  std::map<std::tuple<std::string, CollectiveType, bool, std::uint64_t>, Plan> plans_;
};

}  // namespace wafertlm
