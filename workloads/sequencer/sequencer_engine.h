// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "workloads/chakra/communication_numbers.h"
#include "workloads/chakra/dependency_window.h"
#include "workloads/chakra/node_source.h"
#include "workloads/sequencer/cause_log.h"

namespace wafertlm {

class SequencerHost {
 public:
  /// Start the task; SequencerEngine::done(slot) when it has ended, not from within this call.
  virtual void start(std::uint32_t slot, const Task& task) = 0;
  /// All tasks of the iteration have ended.
  virtual void iteration_done(std::uint32_t iteration, TimePs now) = 0;
  /// Whether the collective under way in the slot waits for other ranks to enter it, or did so until this
  /// very instant.
  virtual bool gathers(std::uint32_t slot, TimePs now) const = 0;

 protected:
  ~SequencerHost() = default;
};

struct SequencerOptions : SequencerParams {
  chakra::Dependencies dependencies = chakra::Dependencies::all;
  std::vector<std::uint64_t> missing;  ///< parents that count as done: TraceSummary::missing
  chakra::NumberExceptions numbers;    ///< TraceSummary::numbers
};

/// When and after what a task ran.
struct TaskEnd {
  CauseLog::Run run;  ///< start, end and category; the engine fills in the rest
  CauseRef cause;     ///< what it waited for in the end
};

/// Walks the trace of one rank: a task is ready when its parents are done. The nodes are read as they are
/// needed and forgotten when they are done. A rank's compute unit, its CPU, each of their numbered units
/// (threads and streams of an imported trace), its loads, its stores and, of each group, each traffic class
/// of collectives (streams in, streams out, and all others) take one task at a time, chosen by the order;
/// sends and receives start at once. With a limit of communications, collectives, sends, loads and stores
/// share one resource with room for so many; receives still start at once.
///
/// Ranks may choose differently (stragglers, jitter, orders). Lest each wait in a collective that the other
/// has not entered, a rank that only waits for others to enter also joins those in which others wait for it,
/// and if it is not ready for one of those, the first ready one that comes before it and before all that the
/// rank waits in. Not with a limit of communications: ranks that choose differently can then wait for ever.
class SequencerEngine {
 public:
  /// Source, groups and log must outlive the engine.
  SequencerEngine(std::uint32_t rank, chakra::NodeSource& source, const chakra::CommGroups& groups,
                  CauseLog& log, SequencerHost& host, SequencerOptions options = {});

  /// Starts the next iteration, because of `cause`. Requires that none is under way.
  void start_iteration(TimePs now, const CauseRef& cause = {});
  /// Returns the record of the run.
  CauseRef done(std::uint32_t slot, TaskEnd end, TimePs now);
  /// Another rank is the first to enter this collective.
  void awaited(std::uint32_t group_number, std::uint64_t number, TimePs now);

  /// What a task under way waited for, as far as its own rank knows.
  const CauseRef& cause(std::uint32_t slot) const { return slots_[slot].cause; }

  bool idle() const { return !active_; }
  std::uint64_t finished() const { return finished_; }
  /// The run that ended last.
  const CauseRef& last() const { return last_; }
  /// Nodes held at most at one time.
  std::size_t held_high_water() const { return slots_.size(); }

  // For the watchdog.
  /// Tasks under way, in the order of their ids.
  std::vector<const Task*> under_way() const;
  /// The task under way that keeps the first held task with `wanted` true from starting; if no such task is
  /// held, or it is under way itself, the first one under way. Null if there is none.
  const Task* blocker(const std::function<bool(const Task&)>& wanted, const Task** found) const;

 private:
  enum class State : std::uint8_t { free, waits, ready, runs };
  struct Slot {
    Task task;
    CauseRef cause;
    State state = State::free;
    std::uint64_t order = 0;  // of becoming ready
  };
  struct Ready {
    std::uint64_t key, order;  // the lowest goes first
    std::uint32_t slot;
    bool operator>(const Ready& other) const {
      return key != other.key ? key > other.key : order > other.order;
    }
  };
  struct Resource {
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;  // and what was joined meanwhile
    std::vector<std::uint32_t> users;  // slots; more than room only of collectives that were joined
    std::uint32_t room = 1;
    bool has_room() const { return users.size() < room; }
    CauseRef last;  // that used it
  };
  using Collective = std::pair<std::uint32_t, std::uint64_t>;  // number of the group, number within it

  bool read_node();
  void make_ready(std::uint32_t slot);
  void start(std::uint32_t slot);
  void take(Resource& resource, std::uint32_t slot);
  void dispatch();
  bool is_ready(const Ready& entry) const;
  bool may_join(const Resource& resource) const;
  void join_awaited();
  void work_towards(const Collective& awaited);
  void free_slot(std::uint32_t slot);
  void settle(TimePs now);
  CauseRef finish(std::uint32_t slot, const TaskEnd& end);
  Resource* resource_of(const Task& task);
  Resource* limited_resource_of(const Task& task);
  const Slot* slot_with(std::uint64_t id) const;
  const std::vector<std::uint32_t>* users_before(const Task& task) const;

  const std::uint32_t rank_;
  chakra::NodeSource& source_;
  const chakra::CommGroups& groups_;
  CauseLog& log_;
  SequencerHost& host_;
  const SequencerOptions options_;

  chakra::DependencyWindow window_;
  chakra::CommunicationNumbers numbers_;
  chakra::Node node_;  // that is being read
  std::deque<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::uint32_t held_ = 0, under_way_ = 0;
  std::deque<std::uint32_t> instant_;                         // ready, and take no time
  std::map<std::pair<bool, std::uint32_t>, Resource> units_;  // that compute: of the CPU?, number
  Resource load_, store_, communication_;                     // the last with a limit of communications
  /// What the collectives of a rank queue for: the group, the traffic class, and of streams the direction.
  using Queue = std::tuple<std::uint32_t, std::string, char>;
  static Queue queue_of(const Task& task);
  std::map<Queue, Resource> collectives_;
  std::vector<Resource*> waiting_;                         // resources with something ready
  std::map<Collective, std::uint32_t> ready_collectives_;  // slots
  std::set<Collective> awaited_;                           // others have entered them, this rank has not
  CauseRef last_, iteration_cause_;
  std::uint64_t order_ = 0, finished_ = 0;
  std::uint32_t iteration_ = 0;
  TimePs now_ = 0;
  bool active_ = false, end_of_trace_ = true, settling_ = false;
};

}  // namespace wafertlm
