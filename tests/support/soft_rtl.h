// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/rtl/design.h"
#include "models/rtl/stream.h"

namespace wafertlm::test {

/// An RTL switch in C++ behind the pins of its protocol, without Verilator: a test says what it does.
class SoftRtl final : public RtlModel {
 public:
  explicit SoftRtl(const RtlDesign& design);

  /// At a rising edge, with what was on the inputs before it; not while the reset is held.
  std::function<void()> at_edge = [] {};
  /// Whenever pins may have changed: outputs that depend on inputs of the same cycle.
  std::function<void()> combinational = [] {};

  /// The module leaves its outputs as they are in a reset.
  bool is_wild_in_reset = false;

  /// Bits of a pin as the module has them, whatever its host has pushed or pulled.
  std::uint64_t see(const std::string& name, std::uint32_t first, std::uint32_t width) const;
  void show(const std::string& name, std::uint32_t first, std::uint32_t width, std::uint64_t value);
  /// All bits 0.
  void clear(const std::string& name);
  /// Of credit_stream: the flit on an input's pins, and one onto those of an output.
  std::optional<RtlFlit> flit_in(std::uint32_t input) const;
  void flit_out(std::uint32_t output, const RtlFlit& flit);

  /// Of each cycle in which something is on the inputs, in words: "5000 in 1: head vc 2 8001 #3 12 B, 7 8"
  /// (the time of the edge, the port, the flow in hex, the sequence, payload and words), "credit 1 vc 2",
  /// "cfg 3 [4] = 5".
  const std::vector<std::string>& seen() const { return seen_; }
  std::uint64_t resets() const { return resets_; }
  TimePs now_ps() const { return now_ps_; }

  RtlPin& pin(const std::string& name) override;
  void evaluate() override;
  void open_waves(const std::string&, const RtlWaveWindow&) override {}
  void dump_waves(TimePs edge_ps, bool) override { now_ps_ = edge_ps; }
  void close_waves() override {}

 private:
  struct Pin final : RtlPin {
    using RtlPin::RtlPin;
    void push() override { inside = words; }
    void pull() override { words = inside; }
    std::vector<std::uint32_t> inside = std::vector<std::uint32_t>(words.size());
  };
  void note_inputs();
  bool is_credit_stream() const { return design_.protocol == RtlProtocol::credit_stream; }

  const RtlDesign& design_;
  std::map<std::string, Pin> pins_;
  bool was_high_ = false;
  std::uint64_t resets_ = 0;
  TimePs now_ps_ = 0;
  std::vector<std::string> seen_;
};

/// A module of the protocol credit_stream whose flits leave `latency` cycles after they were given, where
/// `output_of` of the header says; the credit goes back in the same cycle. It knows of no contention.
class DelayLine {
 public:
  DelayLine(const RtlDesign& design, SoftRtl& pins);
  std::function<std::vector<std::uint32_t>(const RtlHeader&, std::uint32_t input)> outputs_of =
      [](const RtlHeader& header, std::uint32_t) { return std::vector<std::uint32_t>{header.flow & 0xff}; };
  /// What is kept in the module while this holds.
  std::function<bool(std::uint32_t input)> is_held = [](std::uint32_t) { return false; };
  /// What is done to a flit on its way.
  std::function<void(RtlFlit&)> spoil = [](RtlFlit&) {};

 private:
  struct Flit {
    std::uint64_t due;  // edge
    RtlFlit flit;
  };
  void edge();

  const RtlDesign& design_;
  SoftRtl& pins_;
  std::uint64_t edge_ = 0;
  std::vector<std::vector<Flit>> inside_;  // [input]
};

}  // namespace wafertlm::test
