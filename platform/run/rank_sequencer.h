// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platform/run/run_observer.h"
#include "tlm/operation/operation_port.h"
#include "workloads/parallelism/placement.h"
#include "workloads/sequencer/collective_registry.h"
#include "workloads/sequencer/message_registry.h"
#include "workloads/sequencer/sequencer_engine.h"
#include "workloads/sequencer/time_account.h"

namespace wafertlm {

struct Job;
class Machine;

/// What the sequencers of a job share.
struct JobContext {
  Machine& machine;
  CauseLog& causes;
  TimeCategories& categories;
  CollectiveRegistry& collectives;
  MessageRegistry& messages;
  bool functional = false;
  RunObserver* observer = nullptr;
};

/// Records of causes (40 B each) that are kept whether or not a gap still needs them.
constexpr std::size_t kCausesKept = std::size_t{1} << 19;

class RankHost {
 public:
  virtual void iteration_done(std::uint32_t rank, std::uint32_t iteration, TimePs now) = 0;
  virtual void time_spent(std::uint32_t rank, const TimeSegment& segment) = 0;
  /// A rank has entered a collective, as the first or not.
  virtual void collective_entered(std::uint32_t rank, const CollectiveRecord& record, bool is_first,
                                  TimePs now) = 0;
  /// As of SequencerHost, of a collective that the rank has entered.
  virtual bool gathers(std::uint32_t rank, const CollectiveRecord& record, TimePs now) const = 0;
  /// The last rank has entered a stream.
  virtual void stream_complete(CollectiveRecord& record) = 0;
  /// What relay() started has ended.
  virtual void relayed(std::uint64_t token, const Operation& operation,
                       const std::vector<std::byte>& data) = 0;

 protected:
  ~RankHost() = default;
};

/// One rank's sequencer: its engine, its port to the NPU, and the account of its time.
class RankSequencer final : private SequencerHost, private OperationListener {
 public:
  RankSequencer(JobContext& context, RankHost& host, std::uint32_t rank, const Job& job,
                const SequencerParams& params);

  SequencerEngine engine;
  TimeAccount account;

  /// What a task under way still needs from others.
  struct Need {
    std::string text;                           ///< "rank 3 to enter it"
    std::vector<std::uint32_t> ranks;           ///< whom it waits for, lowest first; empty: nobody
    std::function<bool(const Task&)> provides;  ///< which task of theirs would help
  };
  Need need_of(const Task& under_way) const;
  /// The record of a collective under way; null for other tasks.
  const CollectiveRecord* collective_of(const Task& under_way) const;
  /// A stream that leaves the wafer is done for its ranks when it is outside.
  void stream_is_out(const CollectiveRecord& record, TimePs now);
  /// The rank's NPU passes on a stream that is none of the rank's.
  void relay(std::uint64_t token, const Operation& operation, std::vector<std::byte> data) {
    port_.issue(token | kRelay, operation, std::move(data));
  }

 private:
  static constexpr std::uint64_t kRelay = std::uint64_t{1} << 63;  // in tokens
  void start(std::uint32_t slot, const Task& task) override;
  void operation_done(std::uint64_t token, const Operation& operation,
                      const std::vector<std::byte>& data) override;
  void iteration_done(std::uint32_t iteration, TimePs now) override {
    host_.iteration_done(rank_, iteration, now);
  }
  bool gathers(std::uint32_t slot, TimePs now) const override;
  void enter_collective(std::uint32_t slot, const Task& task, Operation& operation);
  void require_right_values(const Operation& operation, const std::vector<std::byte>& data) const;
  void leave_collective(CollectiveRecord& record, TaskEnd& end);
  void account_computation(TimePs start_ps, TimePs end_ps, CauseRef cause);
  void finish(std::uint32_t slot, TimePs start_ps, TimePs end_ps);

  /// A task that the NPU has.
  struct Running {
    const Task* task = nullptr;
    CollectiveRegistry::Entry collective{};
    std::size_t open = 1;      // operations under way: of a stream one for each controller
    TimePs start_ps = kNever;  // the first of them
    TimePs issued_ps = 0;
  };

  JobContext& context_;
  RankHost& host_;
  std::uint32_t rank_;
  const Placement& npus_;
  OperationPort port_;
  std::map<std::string, ClassId> classes_;
  std::map<std::uint32_t, Running> running_;  // by slot
  std::uint32_t computing_ = 0;               // computations among them
};

}  // namespace wafertlm
