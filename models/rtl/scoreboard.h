// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// A packet at an output of a switch: which one it is, and what left.
struct RtlTransaction {
  std::uint64_t flow = 0;      ///< entry of the configuration table, or whatever numbers flows in a test
  std::uint64_t sequence = 0;  ///< in the flow
  std::uint32_t output = 0;
  TimePs arrival_ps = 0;    ///< the head of its first input came to the switch; for the text only
  TimePs head_ps = 0;       ///< the head leaves
  TimePs tail_ps = kNever;  ///< the tail has left; kNever: not known, and not compared
  std::uint32_t bytes = 0;
  std::vector<std::byte> data = {};  ///< empty: not compared
};

enum class RtlDivergenceKind : std::uint8_t {
  data,        ///< other bytes, or another number of them
  time,        ///< outside the tolerance
  missing,     ///< only the model sent it
  unexpected,  ///< only the RTL sent it, or twice
  protocol,    ///< a rule of the pins was broken
};
const char* to_string(RtlDivergenceKind kind);

struct RtlDivergence {
  /// As flow: a rule was broken by no packet that is known.
  static constexpr std::uint64_t kNoPacket = ~std::uint64_t{0};
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};  ///< as output: not known

  RtlDivergenceKind kind{};
  TimePs at_ps = 0;  ///< when the transaction left the model (or the RTL, if the model did not send it)
  std::uint64_t flow = 0, sequence = 0;
  std::uint32_t output = 0;  ///< or, with at_input, the input
  std::string expected, got;
  bool at_input = false;
};

/// What people call things; where a function is missing, numbers remain.
struct RtlNames {
  std::function<std::string(std::uint64_t flow, std::uint64_t sequence)> packet;
  std::function<std::string(std::uint32_t output)> output;  ///< the link behind it; may be empty
};
/// "data at 20 ps, switch, output 4 (l1->npu3): packet 2 of NPU 3 to NPU 4, input 1 (flow 32772, sequence 2)"
std::string to_text(const RtlDivergence& divergence, const std::string& switch_name, const RtlNames& names);

/// Model and RTL may decide an instant apart which side of an edge something falls on.
inline constexpr std::uint32_t kRtlTolerance = 1;

struct RtlScoreboardOptions {
  std::string switch_name = "switch";
  TimePs cycle_ps = 1;  ///< for the histogram
  /// Cycles by which a head, or a tail, may leave earlier or later; none: times are not judged.
  std::optional<std::uint32_t> tolerance = kRtlTolerance;
  bool has_model = true;        ///< false: what is expected has the RTL's own times
  TimePs patience_ps = kNever;  ///< what is late by more is missing, and is not waited for until finish()
  std::uint32_t window_packets = 1000;  ///< of throughput
};

/// Compares what leaves a model and its RTL, keyed on (flow, sequence, output): data bit for bit, time within
/// a tolerance, of heads and of tails. Either side may come first. No SystemC.
class RtlScoreboard {
 public:
  explicit RtlScoreboard(RtlScoreboardOptions options) : options_(std::move(options)) {}

  void expect(RtlTransaction from_model) { add(std::move(from_model), true); }
  void observe(RtlTransaction from_rtl) { add(std::move(from_rtl), false); }
  /// A checker on the pins found something.
  void violation(RtlDivergence broken) { diverge(std::move(broken)); }
  /// Everything should have left by now.
  void finish();

  bool passed() const { return divergences_ == 0; }
  /// Every packet left once, with the right bytes, and by the rules of the pins.
  bool data_passed() const { return divergences_ == divergences(RtlDivergenceKind::time); }
  /// In words: of data, and of times. Of a switch whose model and RTL differ in `differing`, what decides on
  /// times, none that times agree.
  std::string verdict(const std::vector<std::string>& differing = {}) const;
  std::uint64_t divergences() const { return divergences_; }
  std::uint64_t divergences(RtlDivergenceKind kind) const { return by_kind_[static_cast<std::size_t>(kind)]; }
  /// The one with the earliest time; of equals the lowest flow, sequence and output.
  const std::optional<RtlDivergence>& first_divergence() const { return first_; }

  std::uint64_t compared() const { return compared_; }
  std::uint64_t compared_data() const { return compared_data_; }
  /// Head out of the RTL minus head out of the model, in cycles (rounded to the nearest) → packets.
  const std::map<std::int64_t, std::uint64_t>& latency_histogram() const { return histogram_; }
  /// Of the compared ones, from arrival to departure.
  double mean_model_latency_ps() const { return mean(model_latency_ps_); }
  double mean_rtl_latency_ps() const { return mean(rtl_latency_ps_); }
  /// RTL minus model, of heads, and of tails.
  std::int64_t largest_difference_ps() const { return largest_head_ps_; }
  std::int64_t largest_tail_difference_ps() const { return largest_tail_ps_; }
  /// The ratio RTL / model of the bytes per second in every window of packets, most different one; 1 while
  /// there is no full window.
  double worst_throughput_ratio() const;
  std::size_t throughput_windows() const { return std::min(model_.rates.size(), rtl_.rates.size()); }
  double model_bytes_per_s() const { return bytes_per_s(model_); }
  double rtl_bytes_per_s() const { return bytes_per_s(rtl_); }

  const RtlScoreboardOptions& options() const { return options_; }
  std::string report(const RtlNames& names = {}, const std::vector<std::string>& differing = {}) const;

 private:
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;
  /// What one side sent, all outputs.
  struct Side {
    std::uint64_t packets = 0, bytes = 0;
    TimePs first_ps = kNever, last_ps = 0;
    std::uint64_t window_bytes = 0;
    TimePs window_start_ps = 0;
    std::vector<double> rates;  // of the windows
  };
  void add(RtlTransaction transaction, bool is_model);
  void count(Side& side, const RtlTransaction& transaction) const;
  void compare(const RtlTransaction& model, const RtlTransaction& rtl);
  void give_up_on(TimePs before_ps);
  void diverge(RtlDivergence divergence);
  static void keep_first(std::optional<RtlDivergence>& first, RtlDivergence other);
  void diverge(RtlDivergenceKind kind, const RtlTransaction& of, std::string expected, std::string got) {
    diverge({kind, of.head_ps, of.flow, of.sequence, of.output, std::move(expected), std::move(got)});
  }
  double mean(double sum) const { return compared_ == 0 ? 0 : sum / static_cast<double>(compared_); }
  static double bytes_per_s(const Side& side);

  RtlScoreboardOptions options_;
  std::map<Key, RtlTransaction> from_model_, from_rtl_;  // that the other side has not sent
  std::map<std::pair<TimePs, Key>, char> due_;           // of from_model_, with patience
  std::map<Key, char> given_up_;
  std::optional<RtlDivergence> first_;
  std::uint64_t divergences_ = 0, by_kind_[5] = {};
  std::uint64_t compared_ = 0, compared_data_ = 0;
  double model_latency_ps_ = 0, rtl_latency_ps_ = 0;
  std::int64_t largest_head_ps_ = 0, largest_tail_ps_ = 0;
  std::map<std::int64_t, std::uint64_t> histogram_;
  Side model_, rtl_;
};

}  // namespace wafertlm
