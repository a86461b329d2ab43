// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "models/traffic/traffic_node.h"
#include "platform/traffic/traffic_run.h"

namespace wafertlm::traffic {

/// Collects the packets created in [begin, end), and counts what is delivered meanwhile.
class Measurement final : public TrafficSink {
 public:
  Measurement(TimePs begin_ps, TimePs end_ps, std::uint32_t nodes)
      : begin_ps_(begin_ps), end_ps_(end_ps), delivered_by_source_(nodes), past_end_(nodes) {}

  void created(const Packet& packet) override;
  void delivered(const Packet& packet, TimePs tail_ps) override;

  /// Every packet that `senders` sources created in the window has arrived.
  bool complete(std::uint32_t senders) const { return sources_past_end_ == senders && missing_ == 0; }
  std::uint64_t packets() const { return latencies_ps_.size(); }
  std::uint64_t delivered_in_window() const { return delivered_; }
  std::uint64_t delivered_in_window(std::uint32_t source) const { return delivered_by_source_[source]; }

  /// Fills in the latencies; reorders what it holds.
  void summarize(TrafficResult& result);

 private:
  static constexpr std::size_t kBatches = 20;
  struct Batch {
    double sum_ps = 0;
    std::uint64_t packets = 0;
  };
  bool in_window(TimePs at) const { return at >= begin_ps_ && at < end_ps_; }
  double mean_half_width_ps() const;

  TimePs begin_ps_, end_ps_;
  std::vector<TimePs> latencies_ps_;
  Batch batches_[kBatches];
  std::uint64_t missing_ = 0, delivered_ = 0;
  std::vector<std::uint64_t> delivered_by_source_;
  std::vector<bool> past_end_;
  std::uint32_t sources_past_end_ = 0;
};

}  // namespace wafertlm::traffic
