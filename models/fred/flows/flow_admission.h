// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/fred/flows/flow_buffers.h"
#include "models/fred/flows/flow_tree.h"
#include "models/fred/flows/fred_flow_params.h"
#include "models/fred/flows/switch_routes.h"
#include "tlm/kernel/state_visitor.h"
#include "tlm/link/flow_unit.h"
#include "tlm/link/switch_core.h"
#include "tlm/packets/class_table.h"
#include "tlm/packets/flow.h"
#include "tlm/packets/wire_format.h"

namespace wafertlm {

struct FlowAdmissionParams {
  WireFormat format;
  bool reservation = true;  ///< false, for tests only: who is ready sends, and flows share the buffers
  FlowConflict conflict = FlowConflict::block;
  /// A flow that a link of its path slows down reserves less in the buffers of faster links: what keeps its
  /// own rate. So a buffer has room for more of them, as for the streams of I/O controllers.
  bool credits_by_rate = false;
  std::optional<AnswerFormat> answers = {};  ///< Go-Back-N; none: off
};

/// The parts of a fabric that FlowAdmission needs to know.
struct FlowFabric {
  FlowPaths ways;
  std::vector<FlowUnit*> units;  ///< by switch
  /// By switch and port: the links behind them. Room for a flow (OutputParams::flow_credit_bytes) is at least
  /// 2 packets for each of the ways that share the link; its branches there have equal parts.
  std::vector<std::vector<OutputParams>> outputs;
  std::vector<OutputParams> injection;    ///< by endpoint: the link into its switch
  std::shared_ptr<SwitchRoutes> routing;  ///< none: they carry every set of flows
  std::vector<std::string> switch_names;  ///< for messages; empty: numbers
};

/// Calls FlowAdmission::wake() at a time.
class FlowAdmissionHost {
 public:
  virtual void request_admission_wake(TimePs at) = 0;

 protected:
  ~FlowAdmissionHost() = default;
};

/// Lets flows in. A flow is asked for when all its contributors have entered, so that nothing that holds room
/// ever waits for somebody who does not: who is late holds up nobody else. It gets room in every buffer of
/// its path at once, or waits. The waiting ones are served by class priority, first NPU of the group,
/// operation and number; one that waits keeps later ones from the buffers of its own path, so that it does
/// not starve.
///
/// With FlowConflict::decompose it is decided for a whole collective at once, before any part of it starts
/// and when the contributors to its first flow have entered: if this flow routes beside the active ones it
/// has its route from then on, and later flows of the collective wait; if not, all ranks are told to do the
/// collective in steps.
class FlowAdmission final : public FlowControl, public FlowListener {
 public:
  /// `classes` and `host` must outlive it.
  FlowAdmission(const FlowAdmissionParams& params, const ClassTable& classes, FlowAdmissionHost& host);
  ~FlowAdmission();
  /// Before the first entry.
  void set_fabric(FlowFabric fabric);

  void will_enter(std::uint32_t threadblocks) override { threadblocks_ += threadblocks; }
  void enter(const FlowEntry& entry, TimePs now) override;
  void ask(const FlowEntry& entry, TimePs now) override;
  bool decomposed(std::uint64_t operation) const override { return decomposed_.count(operation) != 0; }
  FlowConflictCounts conflicts() const override { return {conflicts_, decomposed_.size()}; }
  void branch_done(const Flow& flow, TimePs at) override;
  void contributed(const Flow& flow, TimePs at) override;
  void at_rest(const Flow& flow, TimePs at) override { branch_done(flow, at); }
  void wake(TimePs now);

  /// Collectives that were told to do without flows are remembered by their numbers.
  void list_state(StateVisitor& state) {
    if (!params_.reservation || !decomposed_.empty()) return state.give_up();
    state.require(gathering_.empty() && ready_.empty() && active_.empty() && asking_.empty());
    state.require(threadblocks_ == 0);
    state.count(conflicts_);
    state.count(waited_ps_);
  }
  /// Nobody who has begun a collective is going to enter another flow, and what flows do at a switch does not
  /// depend on the order of calls there (FlowUnit::shares_lane). So nothing happens to admission but what is
  /// known a credit delay ahead.
  bool is_settled() const { return params_.reservation && threadblocks_ == 0 && !shares_lane_; }

  std::size_t active() const { return active_.size(); }
  std::size_t most_active() const { return most_active_; }
  /// Time that ready flows waited for room, over all of them.
  TimePs waited_ps() const { return waited_ps_; }
  /// Who waits for whom, in words: flows without all contributors, flows without room, and, if there is one,
  /// a cycle of waiting among flows.
  std::vector<std::string> pending() const;

 private:
  struct Request;
  Request& active_request(const Flow& flow) const;
  Request& request_of(const FlowEntry& entry);
  void prepare(Request& request, const FlowEntry& entry);
  std::size_t channel_of(const Request& request) const;
  bool routes(Request& request);
  std::optional<FlowRouteConflict> take_route(Request& request);
  void decide(TimePs now);
  void admit(Request& request, TimePs now);
  void close_due(TimePs now);
  std::string name(const Request& request) const;
  std::string name(const FlowKey& key) const;
  std::string refusal(const Request& request, const FlowRouteConflict& conflict) const;
  std::vector<std::string> cycle() const;

  FlowAdmissionParams params_;
  const ClassTable& classes_;
  FlowAdmissionHost& host_;
  FlowFabric fabric_;
  std::optional<FlowBuffers> buffers_;
  std::map<FlowKey, std::unique_ptr<Request>> gathering_;  // contributors are missing
  std::vector<std::unique_ptr<Request>> ready_;
  std::vector<std::unique_ptr<Request>> active_;
  std::map<std::uint64_t, std::unique_ptr<Request>> asking_;  // by operation, until all ranks have an answer
  std::set<std::uint64_t> decomposed_;                        // operations
  std::deque<Flow> flows_;                                    // by slot
  std::vector<std::uint32_t> free_slots_;
  std::uint64_t threadblocks_ = 0;  // that have begun and not entered their last flow
  bool shares_lane_ = false;        // at some switch
  std::size_t most_active_ = 0;
  std::uint64_t conflicts_ = 0;
  TimePs waited_ps_ = 0;
};

}  // namespace wafertlm
