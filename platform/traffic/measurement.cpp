// SPDX-License-Identifier: Apache-2.0
#include "platform/traffic/measurement.h"

#include <algorithm>
#include <cmath>

namespace wafertlm::traffic {

void Measurement::created(const Packet& packet) {
  if (in_window(packet.created_ps)) ++missing_;
  if (packet.created_ps < end_ps_ || past_end_[index_of(packet.source)]) return;
  past_end_[index_of(packet.source)] = true;
  ++sources_past_end_;
}

void Measurement::delivered(const Packet& packet, TimePs tail_ps) {
  if (in_window(tail_ps)) {
    ++delivered_;
    ++delivered_by_source_[index_of(packet.source)];
  }
  if (!in_window(packet.created_ps)) return;
  --missing_;
  const TimePs latency_ps = tail_ps - packet.created_ps;
  latencies_ps_.push_back(latency_ps);
  const auto batch =
      static_cast<std::size_t>(Uint128{packet.created_ps - begin_ps_} * kBatches / (end_ps_ - begin_ps_));
  batches_[batch].sum_ps += static_cast<double>(latency_ps);
  ++batches_[batch].packets;
}

double Measurement::mean_half_width_ps() const {
  constexpr double kStudent19 = 2.093;  // 95 %, 19 degrees of freedom
  std::vector<double> means;
  for (const Batch& batch : batches_)
    if (batch.packets != 0) means.push_back(batch.sum_ps / static_cast<double>(batch.packets));
  if (means.size() < kBatches) return std::nan("");  // too few packets to tell
  double mean = 0, squares = 0;
  for (const double value : means) mean += value / kBatches;
  for (const double value : means) squares += (value - mean) * (value - mean);
  return kStudent19 * std::sqrt(squares / (kBatches - 1) / kBatches);
}

void Measurement::summarize(TrafficResult& result) {
  result.packets_measured = packets();
  if (latencies_ps_.empty()) return;
  double sum = 0;
  for (const TimePs latency : latencies_ps_) sum += static_cast<double>(latency);
  result.mean_ps = sum / static_cast<double>(packets());
  result.mean_half_width_ps = mean_half_width_ps();
  std::sort(latencies_ps_.begin(), latencies_ps_.end());
  // Nearest rank.
  const auto percentile = [&](std::size_t percent) {
    return static_cast<double>(latencies_ps_[(packets() * percent + 99) / 100 - 1]);
  };
  result.p50_ps = percentile(50);
  result.p99_ps = percentile(99);
  result.max_ps = percentile(100);
}

}  // namespace wafertlm::traffic
