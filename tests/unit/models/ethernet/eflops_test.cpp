// SPDX-License-Identifier: Apache-2.0
// EFLOPS (HPCA 2020) on the packet engine: halving and doubling whose messages have every cable to
// themselves.
#include <gtest/gtest.h>

#include "tests/unit/models/ethernet/engine_run.h"

namespace wafertlm::ethernet {
namespace {

/// All-reduce by halving and doubling: a rank begins a step when its partner's message of the one before is
/// there.
class HalvingDoubling final : public MessageListener {
 public:
  HalvingDoubling(Network network, const EthernetParams& params, std::vector<std::uint32_t> hosts,
                  std::uint64_t bytes)
      : engine_(std::move(network), params, *this),
        hosts_(std::move(hosts)),
        bytes_(bytes),
        step_(hosts_.size()) {
    for (std::uint32_t distance = ranks() / 2; distance >= 1; distance /= 2) distances_.push_back(distance);
    for (std::size_t i = distances_.size(); i-- > 0;) distances_.push_back(distances_[i]);
  }
  TimePs run() {
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) send(rank, 0);
    engine_.run();
    return end_ps_;
  }
  /// Bytes of a message of the step, which halve and then double.
  std::uint64_t step_bytes(std::size_t step) const {
    const std::size_t half = distances_.size() / 2, level = step < half ? step + 1 : distances_.size() - step;
    return bytes_ >> level;
  }
  std::size_t steps() const { return distances_.size(); }

 private:
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(hosts_.size()); }
  void send(std::uint32_t rank, TimePs now) {
    const std::uint32_t peer = rank ^ distances_[step_[rank]];
    engine_.send(engine_.open(hosts_[rank], hosts_[peer]), step_bytes(step_[rank]), peer, now);
  }
  void on_delivered(std::uint64_t rank, TimePs now) override {
    end_ps_ = std::max(end_ps_, now);
    if (++step_[rank] < distances_.size()) send(static_cast<std::uint32_t>(rank), now);
  }

  EthernetEngine engine_;
  std::vector<std::uint32_t> hosts_, distances_;
  std::uint64_t bytes_;
  std::vector<std::size_t> step_;
  TimePs end_ps_ = 0;
};

/// 2 (P − 1)/P · S/B with the bytes of headers, and per step the way of its last packet.
TEST(Eflops, AllReduceTakesItsBoundAndLatency) {
  EthernetParams params;
  params.nics.transport.ack_every = 1'000;  // ACKs of one direction delay the other
  const CableParams cables;
  constexpr std::uint64_t kBytes = 4 << 20;
  for (const auto& [ranks, row] : {std::pair{16U, 4U}, {64U, 8U}, {512U, 16U}}) {
    const std::uint32_t each = ranks / (2 * row);
    HalvingDoubling mapped(bigraph(row, each, cables), params, hdrm_hosts(ranks, row, each), kBytes);
    const TimePs time = mapped.run();
    TimePs expected = 0, payload = 0;
    for (std::size_t step = 0; step < mapped.steps(); ++step) {
      const std::uint64_t bytes = mapped.step_bytes(step);
      const auto last = static_cast<std::uint32_t>((bytes - 1) % params.format.mtu_bytes + 1);
      const bool is_one = bytes <= params.format.mtu_bytes;
      expected += transfer_time_ps(params.format.write_wire_bytes(bytes), cables.host_bytes_per_s) +
                  2 * transfer_time_ps(params.format.data_wire_bytes(last, is_one), cables.host_bytes_per_s) +
                  2 * cables.host_latency_ps + cables.switch_latency_ps;
      payload += transfer_time_ps(bytes, cables.host_bytes_per_s);
    }
    EXPECT_EQ(payload, 2 * transfer_time_ps(kBytes - kBytes / ranks, cables.host_bytes_per_s));
    EXPECT_NEAR(static_cast<double>(time) / static_cast<double>(expected), 1, .01) << ranks;
    EXPECT_GE(time, payload);
    if (ranks == 512) continue;
    std::vector<std::uint32_t> blocked(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) blocked[rank] = rank;
    HalvingDoubling met(bigraph(row, each, cables), params, blocked, kBytes);
    EXPECT_GT(static_cast<double>(met.run()) / static_cast<double>(time), 1.3) << ranks;
  }
}

}  // namespace
}  // namespace wafertlm::ethernet
