// SPDX-License-Identifier: Apache-2.0
#include "tests/support/wormhole_mesh.h"

#include <array>
#include <deque>
#include <queue>
#include <stdexcept>

#include "tests/support/mesh_packets.h"
#include "tlm/link/wormhole.h"

namespace wafertlm::test {
namespace {

constexpr TimePs kCyclePs = 1000;
constexpr std::uint32_t kFlitBytes = 16;
constexpr std::uint64_t kFlitPerCycle = 16'000'000'000;
constexpr std::uint32_t kLocal = 4, kPorts = 5;

ClassTable one_class(int vcs) {
  const auto count = static_cast<std::uint32_t>(vcs);
  return ClassTable({{"data", 0, count, 0}}, count);
}

class WormholeMesh {
 public:
  explicit WormholeMesh(const RouterMeshParams& params) : p_(params), classes_(one_class(params.vcs)) {
    const int nodes = p_.side * p_.side;
    for (int n = 0; n < nodes; ++n) add(n, router());
    for (int n = 0; n < nodes; ++n) {
      add(nodes + n, source());
      packets_.emplace_back(p_, n);
    }
    begin_ = static_cast<TimePs>(p_.warmup_cycles) * kCyclePs;
    end_ = begin_ + static_cast<TimePs>(p_.measure_cycles) * kCyclePs;
  }

  RouterMeshResult run() {
    for (int n = 0; n < p_.side * p_.side; ++n) create(n);
    while (!wakes_.empty()) {
      const Wake next = wakes_.top();
      wakes_.pop();
      now_ = next.at;
      switches_[next.number].core->wake(next.output, now_);
    }
    for (const Switch& each : switches_)
      if (each.core->queued() != 0 || each.core->outstanding_credits() != 0)
        throw std::logic_error("flits or credits are missing at rest");
    RouterMeshResult result;
    result.packets = measured_;
    result.mean_cycles = sum_cycles_ / static_cast<double>(measured_);
    const int senders = p_.side * (p_.traffic == MeshTraffic::transpose ? p_.side - 1 : p_.side);
    result.accepted = static_cast<double>(delivered_) / p_.measure_cycles / senders;
    result.complete = measured_ == created_;
    return result;
  }

 private:
  struct Switch final : SwitchHost, RouteFunction {
    PortId output_for(const Packet& packet) const override { return owner->route(number, packet); }
    void forward(PortId output, Packet& packet, TimePs head_ps) override {
      owner->forward(number, output, packet, head_ps);
    }
    void return_credit(PortId input, Packet& packet, TimePs at) override {
      owner->return_credit(number, input, packet, at);
    }
    void request_wake(PortId output, TimePs at) override {
      owner->wakes_.push({at, owner->asked_++, static_cast<std::size_t>(number), output});
    }
    WormholeMesh* owner = nullptr;
    int number = 0;
    std::unique_ptr<WormholeSwitch> core;
  };
  struct Wake {
    TimePs at;
    std::uint64_t order;
    std::size_t number;
    PortId output;
    bool operator<(const Wake& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  TimePs cycles(int count) const { return static_cast<TimePs>(count) * kCyclePs; }
  OutputParams link() const {
    return {kFlitPerCycle, cycles(p_.link_latency), kFlitBytes * static_cast<std::uint64_t>(p_.buffer_flits)};
  }
  SwitchParams router() const {
    SwitchParams params;
    params.switching = Switching::wormhole;
    params.input_queue = InputQueue::fifo;
    params.link_cycle_ps = kCyclePs;
    params.internal_speedup = static_cast<std::uint32_t>(p_.speedup);
    params.head_pipeline_ps = cycles(p_.routing + p_.vc_allocation) / params.internal_speedup;
    params.pipeline_ps = params.head_pipeline_ps + cycles(2) / params.internal_speedup;
    params.outputs.assign(kPorts, link());
    params.credit_delay_ps.assign(kPorts, cycles(p_.link_latency + p_.credit_delay));
    params.credit_delay_ps[kLocal] = cycles(p_.link_latency);
    return params;
  }
  SwitchParams source() const {
    SwitchParams params;
    params.switching = Switching::wormhole;
    params.credit_delay_ps = {0};
    params.outputs = {link()};
    return params;
  }
  void add(int number, const SwitchParams& params) {
    Switch& made = switches_.emplace_back();
    made.owner = this;
    made.number = number;
    made.core = std::make_unique<WormholeSwitch>(params, classes_, made, made);
  }

  bool is_source(int number) const { return number >= p_.side * p_.side; }
  PortId route(int number, const Packet& packet) const {
    if (is_source(number)) return PortId{0};
    const int to = static_cast<int>(packet.destination);
    const int dx = to % p_.side - number % p_.side, dy = to / p_.side - number / p_.side;
    if (dx != 0) return dx > 0 ? PortId{0} : PortId{1};
    if (dy != 0) return dy > 0 ? PortId{3} : PortId{2};
    return PortId{kLocal};
  }
  int beside(int number, PortId port) const {
    constexpr std::array<int, 4> dx = {1, -1, 0, 0}, dy = {0, 0, -1, 1};
    return number + dx[index_of(port)] + dy[index_of(port)] * p_.side;
  }
  static PortId back(PortId port) { return static_cast<PortId>(static_cast<unsigned>(port) ^ 1U); }

  /// A packet comes in front of the source's port when the one before has left.
  void create(int node) {
    Switch& from = switches_[static_cast<std::size_t>(p_.side * p_.side + node)];
    if (!packets_[static_cast<std::size_t>(node)].sends()) return;
    const auto [cycle, to] = packets_[static_cast<std::size_t>(node)].next();
    const TimePs at = static_cast<TimePs>(cycle) * kCyclePs;
    if (at >= end_) return;
    created_ += at >= begin_;
    for (int i = 0; i < p_.packet_flits; ++i) {
      Packet& flit = pool_.acquire();
      flit.source = static_cast<NpuId>(node);
      flit.destination = static_cast<NpuId>(to);
      flit.wire_bytes = flit.payload_bytes = kFlitBytes;
      flit.starts_packet = i == 0;
      flit.ends_packet = i + 1 == p_.packet_flits;
      flit.created_ps = flit.tail_ps = at;
      from.core->arrive(PortId{0}, flit, at);
    }
  }

  void forward(int number, PortId output, Packet& flit, TimePs head_ps) {
    if (is_source(number)) {
      const bool ends_packet = flit.ends_packet;
      const int node = number - p_.side * p_.side;
      switches_[static_cast<std::size_t>(node)].core->arrive(PortId{kLocal}, flit, head_ps);
      if (ends_packet) create(node);
      return;
    }
    if (output != PortId{kLocal}) {
      switches_[static_cast<std::size_t>(beside(number, output))].core->arrive(back(output), flit, head_ps);
      return;
    }
    const TimePs tail = flit.tail_ps;
    switches_[static_cast<std::size_t>(number)].core->credit(
        output, flit.vc, kFlitBytes, tail + cycles(p_.link_latency + p_.credit_delay), now_);
    if (tail >= begin_ && tail < end_) ++delivered_;
    if (flit.ends_packet && flit.created_ps >= begin_) {
      ++measured_;
      sum_cycles_ += static_cast<double>(tail - flit.created_ps) / kCyclePs;
    }
    pool_.release(flit);
  }

  void return_credit(int number, PortId input, const Packet& flit, TimePs at) {
    if (is_source(number)) return;
    const bool local = input == PortId{kLocal};
    const int to = local ? p_.side * p_.side + number : beside(number, input);
    switches_[static_cast<std::size_t>(to)].core->credit(local ? PortId{0} : back(input), flit.vc, kFlitBytes,
                                                         at, now_);
  }

  RouterMeshParams p_;
  ClassTable classes_;
  std::vector<MeshPackets> packets_;  // by node
  PacketPool pool_;
  std::deque<Switch> switches_;  // the nodes' routers, then their sources
  std::priority_queue<Wake> wakes_;
  std::uint64_t asked_ = 0, created_ = 0, measured_ = 0, delivered_ = 0;
  TimePs now_ = 0, begin_ = 0, end_ = 0;
  double sum_cycles_ = 0;
};

}  // namespace

RouterMeshResult run_wormhole_mesh(const RouterMeshParams& params) { return WormholeMesh(params).run(); }

}  // namespace wafertlm::test
