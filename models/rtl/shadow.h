// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "models/rtl/bench.h"
#include "models/rtl/packet_values.h"

namespace wafertlm {

/// An RTL switch that gets what a model got, and a scoreboard between the two. Fed by a simulation or by a
/// recording.
class RtlShadow final : private RtlBenchHost {
 public:
  RtlShadow(const RtlDesign& design, RtlModel& model, RtlBenchParams params, RtlScoreboardOptions options);

  /// In the order of now_ps.
  void apply(const RtlEvent& event);
  void advance(TimePs now) { bench_.advance(now); }
  TimePs next_wake_ps() const { return bench_.next_wake_ps(); }
  void wake() { bench_.wake(); }
  /// No more events: lets the RTL run until it stops.
  void finish();

  const RtlScoreboard& scoreboard() const { return board_; }
  RtlBench& bench() { return bench_; }

 private:
  void head_out(std::uint32_t, std::uint32_t, std::uint64_t, TimePs) override {}
  void packet_out(const RtlTransaction& packet, TimePs tail_ps) override {
    RtlTransaction sent = packet;
    sent.tail_ps = tail_ps;
    board_.observe(std::move(sent));
  }
  void broken_rule(const RtlDivergence& broken) override { board_.violation(broken); }

  void expect(const RtlEvent& event);

  RtlBench bench_;
  RtlScoreboard board_;
  RtlPacketValues values_;
};

}  // namespace wafertlm
