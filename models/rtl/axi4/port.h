// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/rtl/axi4/axi4.h"
#include "models/rtl/axi4/checker.h"
#include "models/rtl/axi4/peer.h"
#include "models/rtl/design.h"

namespace wafertlm {

Axi4Shape axi4_shape(const RtlDesign& design);

/// An AXI4 port of an RTL model: Axi4Cycle on its pins.
class Axi4Port {
 public:
  /// @throws std::invalid_argument: a pin is missing or too narrow.
  Axi4Port(RtlModel& model, const RtlDesign& design);

  /// What the design gets.
  void drive(const Axi4Cycle& cycle);
  /// What the design answers.
  void sample(Axi4Cycle& cycle);

 private:
  struct Address {
    RtlPin &id, &address, &length, &size, &burst, &lock;
  };
  RtlPin& pin(const std::string& name, std::uint32_t bits);
  Address address(const char* channel);
  void put(const Address& pins, const Axi4Burst& burst);
  Axi4Burst get(const Address& pins);
  void put_valid(Axi4Channel channel, const Axi4Handshake& handshake);
  void put_ready(Axi4Channel channel, const Axi4Handshake& handshake);
  void get_handshake(Axi4Channel channel, Axi4Handshake& handshake);

  RtlModel& model_;
  const Axi4Shape shape_;
  const bool is_slave_;
  std::vector<RtlPin*> valid_, ready_;  // by Axi4Channel
  Address aw_, ar_;
  RtlPin &wdata_, &wstrb_, &wlast_, &bid_, &bresp_, &rid_, &rdata_, &rresp_, &rlast_;
};

/// A design with an AXI4 port, its clock and a peer opposite, cycle by cycle. No SystemC.
class Axi4Bench {
 public:
  /// The design's facts and `model` must outlive it. @throws std::invalid_argument: as Axi4Port
  Axi4Bench(const RtlDesign& design, RtlModel& model, Axi4Report report);

  /// Some cycles of reset, in which the rules of the reset are checked.
  void reset();
  /// A rising edge, and what is on the pins after it.
  const Axi4Cycle& cycle(Axi4Peer& peer);
  void finish() { checker_.finish(); }
  /// Another model of the same design, which goes through random cycles before each reset. Where the two
  /// differ afterwards a signal depends on what no reset sets: it is unknown. Contents of a memory may
  /// differ.
  void set_twin(RtlModel& twin);

  std::uint64_t cycles() const { return checker_.cycles(); }
  const Axi4Checker& checker() const { return checker_; }
  /// Of waveforms: ACLK.
  void set_period_ps(TimePs period_ps) { period_ps_ = period_ps; }

 private:
  /// A model and its pins.
  struct Side {
    Side(const RtlDesign& design, RtlModel& made);
    void clock(bool high);
    RtlModel& model;
    Axi4Port port;
    RtlPin &clock_pin, &reset_pin;
  };
  const Axi4Cycle& step();
  void begin_reset(Side& side, bool is_held);
  void disturb(Side& side);

  const RtlDesign& design_;
  Side side_;
  std::unique_ptr<Side> twin_;
  Axi4Checker checker_;
  Axi4Cycle pins_;
  TimePs period_ps_ = 1000;
};

}  // namespace wafertlm
