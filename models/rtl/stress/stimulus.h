// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/rtl/design.h"
#include "models/rtl/event.h"

namespace wafertlm {

/// What is done to a switch, round by round: in each the switch comes to rest. Cycles count from the
/// beginning of a round. Every part can be left out and the rest still makes sense, so that shrink() can.
struct RtlStimulus {
  /// What is judged of time, beside all the rest.
  enum class Judged : std::uint8_t {
    nothing,
    alone,  ///< one packet after the other: each takes LATENCY cycles, and its credits are soon home
    rate,   ///< one pair of ports after the other: packets follow each other as the design's rate says
    turns,  ///< packets of one size for each output: all inputs and channels take turns
  };
  /// A branch of an in-network flow.
  struct Branch {
    std::vector<std::uint32_t> inputs, outputs;
    AdditionOrder order;
    DataType data_type = DataType::int32;
    std::uint32_t channel = 0, priority = 0;
    std::uint32_t from_above = 0;  ///< as RtlEntry
  };
  struct Arrival {
    std::uint32_t port = 0;
    std::uint64_t cycle = 0;
  };
  struct Packet {
    std::uint64_t id = 0;  ///< its values follow from it, and a message's number
    std::uint32_t round = 0;
    std::optional<std::size_t> branch;        ///< none: a message
    std::uint32_t output = 0;                 ///< of a message
    std::uint32_t channel = 0, priority = 0;  ///< of a message
    std::uint32_t bytes = 0;
    std::uint32_t cycles_per_flit = 1;  ///< more: it comes slower than the clock
    std::vector<Arrival> arrivals;      ///< one for each input of the branch, in its order
  };
  /// A port stands still: an input is given no flit, an output gets no credit or is not ready.
  struct Stall {
    std::uint32_t round = 0;
    bool is_output = false;
    std::uint32_t port = 0;
    std::uint64_t first = 0, cycles = 0;
  };
  /// A word of the configuration, written before the first round.
  struct Setting {
    std::uint32_t entry = 0, word = 0, value = 0;
  };

  Judged judged = Judged::nothing;
  /// Of the first packet of each flow; added to those of messages.
  std::uint64_t first_number = 0;
  bool probes = true;  ///< in the end outputs get no credits: how many flits come?
  /// Channels for which that is done, from this one on.
  std::uint32_t probed_channel = 0;
  /// All rounds again and again for so many cycles, without a reset.
  std::uint64_t least_cycles = 0;
  /// Not 0: everything is played for so many cycles first, and then the reset comes in the middle of it.
  std::uint64_t cycles_before_reset = 0;
  std::vector<Setting> settings;
  std::vector<Branch> branches;
  std::vector<Packet> packets;  ///< in the order in which their first heads come
  std::vector<Stall> stalls;
};

/// What a design's configuration knows of in-network flows.
struct RtlFlowRules {
  /// In which order the switch adds the inputs. None: it carries no flows.
  std::function<AdditionOrder(const std::vector<std::uint32_t>& inputs,
                              const std::vector<std::uint32_t>& outputs)>
      order;
  std::vector<DataType> data_types;
  std::uint32_t priorities = 8;
  /// Words that may be written, each with the values it may have.
  struct Setting {
    std::uint32_t entry = 0, word = 0;
    std::vector<std::uint32_t> values;
    /// With any value but the first flows wait for each other: they need channels of their own.
    bool makes_flows_wait = false;
  };
  std::vector<Setting> settings;
};

/// A line for each part, for people: cycles, ports, sizes.
std::string to_text(const RtlStimulus& stimulus, const RtlDesign& design);

}  // namespace wafertlm
