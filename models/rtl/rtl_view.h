// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/rtl/entries.h"
#include "models/rtl/recording.h"
#include "models/rtl/shadow.h"
#include "models/rtl/view_mode.h"
#include "tlm/link/credit_window.h"
#include "tlm/link/switch_module.h"

namespace wafertlm {

struct RtlViewParams {
  RtlViewMode mode = RtlViewMode::both;
  std::string name = {};              ///< of the switch in reports; empty: the module's
  const RtlDesign* design = nullptr;  ///< null with RtlViewMode::tlm
  std::uint32_t flit_bytes = 0;       ///< of the design; of the recording without one
  RtlClock clock;
  RtlConfiguration configuration;
  std::optional<std::uint32_t> tolerance = kRtlTolerance;  ///< as RtlScoreboardOptions
  TimePs patience_ps = kNever;                             ///< as RtlScoreboardOptions
  std::vector<OutputParams> outputs;                       ///< links behind the switch
  std::uint32_t channels = 1;                              ///< of a link, those of flows included
  std::uint32_t flow_branches = 0;                         ///< entries for branches, without a design
  std::function<RtlModelFacts()> model;                    ///< asked when the simulation has begun
  std::string recording;                                   ///< a file; empty: none
};

/// The RTL in place broke a rule of its pins: nothing that follows would mean anything.
class RtlRuleBroken : public std::runtime_error {
  using runtime_error::runtime_error;
};

/// Follows a SwitchModule with its RTL, or lets the RTL carry its packets: the pin bridge between the fabric
/// protocol and a design. The packets of a flow go in when its rooms behind all outputs have a place for
/// them, as in FlowUnit.
class RtlView final : public SwitchView, private Wakeable, private RtlBenchHost {
 public:
  /// Takes its place at the switch; before the simulation starts. All references must outlive it. `model` is
  /// null with RtlViewMode::tlm.
  /// @throws std::invalid_argument: the design does not fit the switch.
  RtlView(SwitchModule& at, Scheduler& scheduler, PacketPool& packets, const ClassTable& classes,
          RtlModel* model, RtlViewParams params);
  ~RtlView();

  /// After the run: lets the shadow finish and closes the recording.
  void finish();
  /// What was compared: of the RTL in place the data, with what had come in. Null without RTL.
  const RtlScoreboard* scoreboard() const {
    return shadow_ ? &shadow_->scoreboard() : board_ ? &*board_ : nullptr;
  }
  /// @throws std::runtime_error: packets are still in the RTL that carries them.
  void require_rest() const;
  const RtlViewParams& params() const { return params_; }
  /// What decides on times, in the model and in the RTL; none without a design.
  std::vector<RtlProperty> properties() const;
  std::string switch_name() const { return params_.name.empty() ? switch_.basename() : params_.name; }
  std::uint64_t cycles() const;
  std::uint64_t packets() const { return packets_seen_; }
  /// Processor time of this computer that the RTL took, of long runs from a sample.
  double host_s() const { return host_s_; }

 private:
  using Key = std::pair<std::uint32_t, std::uint64_t>;
  /// Of a packet for which there was room: when it may go in, and the inputs to which it is yet to come.
  struct Entrance {
    TimePs at_ps;
    std::size_t inputs_due;
  };
  /// A branch that is open: the rooms behind its outputs, and how far it is.
  struct Branch {
    const Flow* flow = nullptr;
    RtlEntry entry;
    std::uint32_t stripe = 0;
    std::uint64_t admitted = 0;                        // packets for which there was room
    std::map<std::uint64_t, Entrance> entrances;       // of those that have not come to all inputs
    std::vector<std::optional<CreditWindow>> credits;  // by output; none: not reserved
    std::deque<RtlEvent> held;
    std::uint64_t gone = 0, credited = 0;  // of the RTL in place: packets, copies
    TimePs done_ps = 0;
  };
  /// Packets that the RTL carries.
  struct Carried {
    std::vector<std::pair<PortId, Packet*>> inputs;
    VcId vc{};
    std::size_t copies_left = 0;
    TimePs tail_ps = 0;
  };
  /// A packet whose head has left an output.
  struct Leaving {
    Packet* packet = nullptr;  // further on, where it waits for its tail
    TimePs head_ps = 0, tail_ps = 0;
    std::optional<RtlPacketValues::Result> expected;
    bool has_values = false;
  };

  bool arrive(PortId input, Packet& packet, TimePs head_ps, TimePs now) override;
  bool credit(PortId output, Packet& packet, TimePs at, TimePs now) override;
  void sent(PortId output, const Packet& packet, TimePs now) override;
  void branch_opened(const Flow& flow, const FlowBranch& branch,
                     const std::vector<std::uint64_t>& credit_bytes) override;
  void flow_closed(const Flow& flow) override;
  void wake(std::uint32_t, TimePs now) override;

  void head_out(std::uint32_t output, std::uint32_t flow, std::uint64_t sequence, TimePs at_ps) override;
  void flit_out(std::uint32_t output, std::uint32_t flow, std::uint64_t sequence) override;
  void packet_out(const RtlTransaction& sent, TimePs tail_ps) override;
  void broken_rule(const RtlDivergence& broken) override;

  std::uint32_t flits_of(const Packet& packet) const {
    return packet.payload_bytes == 0 ? 1
                                     : (packet.payload_bytes + params_.flit_bytes - 1) / params_.flit_bytes;
  }
  TimePs from_edge(TimePs at) const;
  RtlEvent event_of(RtlEvent::Kind kind, PortId port, const Packet& packet, TimePs now) const;
  void begin_recording();
  void emit(const RtlEvent& event);
  void admit(Branch& branch, TimePs now);
  void ask_wake();
  std::shared_ptr<RtlFlitTimes> follow(TimePs tail_ps);
  Packet& copy_of(const Packet& first);
  void give_room_back(const Key& key, TimePs tail_ps);
  void finish_if_done(Branch& branch);

  SwitchModule& switch_;
  Scheduler& scheduler_;
  PacketPool& pool_;
  const ClassTable& classes_;
  RtlViewParams params_;
  RtlEntries entries_;
  std::vector<std::uint32_t> rooms_;  // as RtlBenchParams
  std::unique_ptr<RtlRecorder> recorder_;
  bool records_ = false;  // its head is written
  std::unique_ptr<RtlShadow> shadow_;
  std::unique_ptr<RtlBench> bench_;     // in place,
  std::optional<RtlScoreboard> board_;  // with what it has to send
  RtlPacketValues values_;
  std::map<const Packet*, RtlEntries::Number> followed_;
  std::map<Key, Carried> carried_;
  std::map<std::pair<std::uint32_t, Key>, Leaving> leaving_;  // by output
  std::map<std::uint32_t, Branch> branches_;                  // by entry
  TimePs wake_ps_ = kNever;                                   // asked for
  std::uint64_t packets_seen_ = 0;
  std::uint64_t wakes_ = 0;
  double host_s_ = 0;
};

}  // namespace wafertlm
