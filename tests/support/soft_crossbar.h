// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "tests/support/soft_rtl.h"

namespace wafertlm::test {

/// A crossbar of the protocol credit_stream in C++ that can have faults: buffers at the inputs, wormholes to
/// the outputs, an output's channel belongs to a packet until its tail. Alone a head takes LATENCY cycles.
class SoftCrossbar {
 public:
  struct Faults {
    /// A packet whose next flit is not there loses its output to another one.
    bool interleaves = false;
    /// A credit comes back when a flit has come in, not when it leaves.
    bool credits_at_once = false;
    /// A bit turns in a flit that has these in its first word's low 17 bits: one of 131,072.
    std::optional<std::uint32_t> turns_bit_of;
    /// What is in the buffers survives a reset.
    bool keeps_flits_in_reset = false;
    /// Of every so many credits at an input one is lost; 0: none.
    std::uint64_t loses_credit = 0;
    /// And of those of the outputs.
    std::uint64_t loses_output_credit = 0;
    /// Within a packet an output sends nothing in every so manieth cycle; 0: it always does.
    std::uint64_t rests = 0;
    /// The first input that has something goes.
    bool never_rotates = false;
    /// Packets to this port leave by port 0.
    std::optional<std::uint32_t> wrong_output_of;
  };
  SoftCrossbar(const RtlDesign& design, SoftRtl& pins, const Faults& faults);

 private:
  struct Flit {
    std::uint64_t ready;  // edge
    RtlFlit flit;
  };
  struct Output {
    std::uint32_t credits = 0;
    std::optional<std::size_t> owner;  // queue
    std::size_t next = 0;              // round robin among queues
  };
  std::size_t at(std::size_t port, std::size_t channel) const { return port * design_.channels + channel; }
  void reset();
  void edge();
  void take(std::uint32_t input);
  bool serve(std::uint32_t port, std::uint32_t channel);
  bool can_leave(std::size_t queue) const;
  void credit(std::uint32_t input, std::uint32_t channel);
  std::uint32_t output_of(const RtlFlit& head) const;

  const RtlDesign& design_;
  SoftRtl& pins_;
  const Faults faults_;
  std::uint64_t edge_ = 0, resets_ = 0, credits_ = 0, output_credits_ = 0;
  std::vector<std::deque<Flit>> queues_;                    // [input][channel]
  std::vector<std::optional<std::uint32_t>> going_;         // [queue]: output of the packet that is leaving
  std::vector<Output> outputs_;                             // [output][channel]
  std::vector<std::deque<std::uint32_t>> credits_to_give_;  // [input]: channels
};

}  // namespace wafertlm::test
