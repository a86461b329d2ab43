// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/rtl/stress/stimulus.h"

namespace wafertlm {

/// What a design promises about time, where a stimulus leaves nothing else to explain it.
class RtlService {
 public:
  struct Fault {
    const RtlStimulus::Packet* packet;  ///< that is served badly
    std::string rule, seen;
  };
  RtlService(const RtlDesign& design, const RtlStimulus& stimulus) : design_(design), stimulus_(stimulus) {}

  void begin_round(std::uint32_t round);
  void head_in(const RtlStimulus::Packet& packet);
  /// A message's head leaves, `waited` cycles after it went in.
  std::optional<Fault> head_out(const RtlStimulus::Packet& packet, std::uint64_t edge, std::uint64_t waited);
  /// Its tail leaves.
  std::optional<Fault> tail_out(const RtlStimulus::Packet& packet, std::uint64_t edge);
  /// Most packets of others between two of an input and channel at an output.
  std::uint64_t most_passed() const { return most_passed_; }

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  struct Contender {
    std::vector<const RtlStimulus::Packet*> packets;
    std::size_t inside = 0, gone = 0;
    std::uint64_t passed = 0;  // by others since its last one, while the next was inside
  };
  struct Streak {
    std::uint64_t first_head = 0, flits = 0;
  };
  std::optional<Fault> take_turn(const RtlStimulus::Packet& packet);
  std::uint32_t flits_of(const RtlStimulus::Packet& packet) const {
    return (packet.bytes + design_.flit_bytes() - 1) / design_.flit_bytes();
  }

  const RtlDesign& design_;
  const RtlStimulus& stimulus_;
  std::map<std::uint32_t, std::map<Pair, Contender>> contenders_;  // by output; by input and channel
  std::map<Pair, Streak> streaks_;                                 // by input and output
  std::uint64_t most_passed_ = 0;
};

}  // namespace wafertlm
