// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/rtl/axi4/rules.h"

namespace wafertlm {

/// Holds both sides of an AXI4 port to the rules of axi4_rules() that its pins alone can break (not RDATA,
/// WDATA, RRESP, BRESP, …, which whoever knows the memory checks). No SystemC.
class Axi4Checker {
 public:
  Axi4Checker(const Axi4Shape& shape, Axi4Report report) : shape_(shape), report_(std::move(report)) {}

  /// The next rising edge.
  void cycle(const Axi4Cycle& now);
  /// No cycle follows: everything must be answered.
  void finish();

  std::uint64_t cycles() const { return cycle_; }
  bool idle() const;

 private:
  struct Write {
    std::optional<Axi4Burst> burst;      // AW has been
    std::vector<std::uint64_t> strobes;  // of the beats that have been
    bool complete = false;               // WLAST has been
  };
  struct Read {
    Axi4Burst burst;
    std::uint32_t beats = 0;  // that have been
  };

  void break_rule(Axi4Check check, Axi4Channel channel, std::uint32_t id, const std::string& seen);
  void check_handshakes(const Axi4Cycle& now);
  bool is_new(const Axi4Cycle& now, Axi4Channel channel) const;
  void check_burst(const Axi4Burst& burst, Axi4Channel channel);
  void check_response(const Axi4ResponsePins& b);
  void check_read(const Axi4ReadPins& r);
  void check_beat(const Write& write, std::size_t beat, bool last);
  void take_response(const Axi4ResponsePins& b);
  void take_read(const Axi4ReadPins& r);
  void take_address(const Axi4Burst& burst);
  void take_beat(const Axi4WritePins& w);
  void settle_writes();

  const Axi4Shape shape_;
  const Axi4Report report_;
  std::uint64_t cycle_ = 0;
  Axi4Cycle last_;
  std::deque<Write> writes_;  // in the order of AW, which is that of the data
  std::map<std::uint32_t, std::deque<Axi4Burst>> answerable_;  // writes that are complete, by ID
  std::map<std::uint32_t, std::deque<Read>> reads_;            // by ID
};

}  // namespace wafertlm
