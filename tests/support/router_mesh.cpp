// SPDX-License-Identifier: Apache-2.0
#include "tests/support/router_mesh.h"

#include <array>
#include <deque>
#include <vector>

#include "tests/support/mesh_packets.h"

namespace wafertlm::test {
namespace {

constexpr int kNobody = -1;
constexpr int kDirections = 5;
enum Direction { kToEast, kToWest, kToNorth, kToSouth, kToNode };

struct RouterFlit {
  int destination;
  long created;
  bool head, tail;
};

/// One channel of an input: idle, or with a packet at its front on the way through the stages.
struct InputChannel {
  std::deque<RouterFlit> flits;
  long next_stage = 0;  // router cycle from which VA, later SA, may look at it
  bool routed = false;  // the head at the front has begun RC
  int output = kNobody, output_vc = kNobody;
  int va_next = 0;  // round-robin over the output's channels
};

struct OutputChannel {
  int credits = 0;
  bool busy = false;
  int va_next = 0;  // round-robin over (input, channel)
};

struct RouterInput {
  std::vector<InputChannel> vcs;
  int next_vc = 0, next_output = 0;
  std::deque<int> credits;  // channels to be told upstream
};

struct RouterOutput {
  std::vector<OutputChannel> vcs;
  int next_input = 0;
  std::deque<std::pair<RouterFlit, int>> queue;  // behind the crossbar: flit and its channel
};

struct MeshRouter {
  std::array<RouterInput, kDirections> inputs;
  std::array<RouterOutput, kDirections> outputs;
  int flits = 0, leaving = 0;  // in the inputs; in the crossbar or behind it
  struct Crossing {
    long ready;  // router cycle at whose end ST is over
    int output, vc;
    RouterFlit flit;
  };
  std::deque<Crossing> crossing;
};

struct MeshSource {
  MeshPackets packets;
  MeshPackets::Next next;
  std::deque<RouterFlit> queue;
  std::vector<OutputChannel> vcs;
  int vc = kNobody, last_vc = 0;
};

template <typename V>
auto& of(V& all, int i) {
  return all[static_cast<std::size_t>(i)];
}

class RouterMesh {
 public:
  explicit RouterMesh(const RouterMeshParams& params) : p_(params), nodes_(params.side * params.side) {
    routers_.resize(static_cast<std::size_t>(nodes_));
    const auto vcs = static_cast<std::size_t>(p_.vcs);
    for (MeshRouter& router : routers_) {
      for (RouterInput& input : router.inputs) input.vcs.resize(vcs);
      for (RouterOutput& output : router.outputs) output.vcs.assign(vcs, {p_.buffer_flits, false, 0});
    }
    for (int n = 0; n < nodes_; ++n) {
      MeshPackets packets(p_, n);
      const MeshPackets::Next first = packets.sends() ? packets.next() : MeshPackets::Next{-1, 0};
      sources_.push_back({packets, first, {}, std::vector<OutputChannel>(vcs, {p_.buffer_flits, false, 0})});
    }
    const auto horizon = static_cast<std::size_t>(p_.link_latency + p_.credit_delay + 3);
    arrivals_.resize(horizon);
    credits_.resize(horizon);
  }

  RouterMeshResult run() {
    begin_ = p_.warmup_cycles;
    end_ = begin_ + p_.measure_cycles;
    for (now_ = 0; now_ < end_ || (missing_ > 0 && now_ < 2 * end_); ++now_) step();
    RouterMeshResult result;
    result.packets = measured_;
    result.mean_cycles = sum_ / static_cast<double>(measured_);
    const int senders = p_.traffic == MeshTraffic::transpose ? nodes_ - p_.side : nodes_;
    result.accepted = static_cast<double>(delivered_) / static_cast<double>(p_.measure_cycles) / senders;
    result.complete = missing_ == 0;
    return result;
  }

 private:
  struct Arrival {
    int node, input, vc;  // input kNobody: the node itself
    RouterFlit flit;
  };
  struct Credit {
    int node, output, vc;  // output kNobody: the source
  };

  std::size_t slot(long at) const { return static_cast<std::size_t>(at) % arrivals_.size(); }

  void step() {
    for (const Credit& credit : credits_[slot(now_)]) {
      auto& vcs = credit.output == kNobody ? of(sources_, credit.node).vcs
                                           : of(of(routers_, credit.node).outputs, credit.output).vcs;
      ++of(vcs, credit.vc).credits;
    }
    credits_[slot(now_)].clear();
    for (const Arrival& arrival : arrivals_[slot(now_)]) take_in(arrival);
    arrivals_[slot(now_)].clear();
    for (int n = 0; n < nodes_; ++n) create(n), inject(n);
    for (int n = 0; n < nodes_; ++n) {
      MeshRouter& router = of(routers_, n);
      for (int sub = 0; sub < p_.speedup; ++sub) {
        tick_ = now_ * p_.speedup + sub;
        if (router.flits > 0) start_routing(router), allocate_channels(n), allocate_switch(n);
        cross(router);
      }
      send_on(n);
    }
  }

  void take_in(const Arrival& arrival) {
    if (arrival.input != kNobody) {
      MeshRouter& router = of(routers_, arrival.node);
      of(of(router.inputs, arrival.input).vcs, arrival.vc).flits.push_back(arrival.flit);
      ++router.flits;
      return;
    }
    tell(now_ + 1 + p_.link_latency + p_.credit_delay, {arrival.node, kToNode, arrival.vc});
    if (now_ >= begin_ && now_ < end_) ++delivered_;
    if (!arrival.flit.tail || !in_window(arrival.flit.created)) return;
    --missing_;
    ++measured_;
    sum_ += static_cast<double>(now_ - arrival.flit.created);
  }

  void create(int node) {
    MeshSource& source = of(sources_, node);
    if (source.next.cycle != now_) return;
    if (in_window(now_)) ++missing_;
    for (int i = 0; i < p_.packet_flits; ++i)
      source.queue.push_back({source.next.destination, now_, i == 0, i == p_.packet_flits - 1});
    source.next = source.packets.next();
  }

  /// A source sends a flit per cycle; a packet takes the next free channel with room.
  void inject(int node) {
    MeshSource& source = of(sources_, node);
    if (source.queue.empty()) return;
    for (int i = 1; source.vc == kNobody && i <= p_.vcs; ++i) {
      const int vc = (source.last_vc + i) % p_.vcs;
      if (!of(source.vcs, vc).busy && of(source.vcs, vc).credits > 0) source.vc = source.last_vc = vc;
    }
    if (source.vc == kNobody || of(source.vcs, source.vc).credits == 0) return;
    OutputChannel& to = of(source.vcs, source.vc);
    const RouterFlit flit = source.queue.front();
    source.queue.pop_front();
    --to.credits;
    to.busy = !flit.tail;
    arrive(now_ + 1 + p_.link_latency, {node, kToNode, source.vc, flit});
    if (flit.tail) source.vc = kNobody;
  }

  int route(int node, int destination) const {
    const int dx = destination % p_.side - node % p_.side, dy = destination / p_.side - node / p_.side;
    if (dx != 0) return dx > 0 ? kToEast : kToWest;
    if (dy != 0) return dy > 0 ? kToSouth : kToNorth;
    return kToNode;
  }

  void start_routing(MeshRouter& router) const {
    for (RouterInput& input : router.inputs)
      for (InputChannel& from : input.vcs) {
        if (from.routed || from.flits.empty()) continue;
        from.routed = true;
        from.next_stage = tick_ + p_.routing;
      }
  }

  /// VA. Every waiting head asks for one free channel of its output; every channel takes one of the heads.
  void allocate_channels(int node) {
    MeshRouter& router = of(routers_, node);
    const int contenders = kDirections * p_.vcs;
    asks_.assign(static_cast<std::size_t>(contenders), kNobody);
    bool any = false;
    for (int who = 0; who < contenders; ++who) {
      InputChannel& from = of(of(router.inputs, who / p_.vcs).vcs, who % p_.vcs);
      if (!from.routed || from.flits.empty() || from.output_vc != kNobody || from.next_stage > tick_)
        continue;
      from.output = route(node, from.flits.front().destination);
      for (int i = 0; i < p_.vcs && of(asks_, who) == kNobody; ++i) {
        const int vc = (from.va_next + i) % p_.vcs;
        if (!of(of(router.outputs, from.output).vcs, vc).busy) of(asks_, who) = from.output * p_.vcs + vc;
      }
      any |= of(asks_, who) != kNobody;
    }
    if (!any) return;
    for (int target = 0; target < contenders; ++target) {
      OutputChannel& to = of(of(router.outputs, target / p_.vcs).vcs, target % p_.vcs);
      for (int i = 0; i < contenders; ++i) {
        const int who = (to.va_next + i) % contenders;
        if (of(asks_, who) != target) continue;
        InputChannel& from = of(of(router.inputs, who / p_.vcs).vcs, who % p_.vcs);
        from.output_vc = target % p_.vcs;
        from.va_next = (from.output_vc + 1) % p_.vcs;
        from.next_stage = tick_ + p_.vc_allocation;
        to.busy = true;
        to.va_next = (who + 1) % contenders;
        break;
      }
    }
  }

  bool may_cross(const MeshRouter& router, const InputChannel& from) const {
    return from.output_vc != kNobody && from.next_stage <= tick_ && !from.flits.empty() &&
           of(of(router.outputs, from.output).vcs, from.output_vc).credits > 0;
  }

  /// SA. `chosen[input][output]` is the channel that would use the pair.
  void allocate_switch(int node) {
    MeshRouter& router = of(routers_, node);
    std::array<int, kDirections> wanted, channel{};
    wanted.fill(kNobody);
    for (int i = 0; i < kDirections; ++i) {
      RouterInput& input = of(router.inputs, i);
      std::array<int, kDirections> chosen;
      chosen.fill(kNobody);
      for (int k = 0; k < p_.vcs; ++k) {
        const int vc = (input.next_vc + k) % p_.vcs;
        const InputChannel& from = of(input.vcs, vc);
        if (may_cross(router, from) && of(chosen, from.output) == kNobody) of(chosen, from.output) = vc;
      }
      for (int k = 0; k < kDirections && of(wanted, i) == kNobody; ++k) {
        const int output = (input.next_output + k) % kDirections;
        if (of(chosen, output) == kNobody) continue;
        of(wanted, i) = output;
        of(channel, i) = of(chosen, output);
      }
    }
    for (int o = 0; o < kDirections; ++o)
      for (int k = 0, first = of(router.outputs, o).next_input; k < kDirections; ++k) {
        const int i = (first + k) % kDirections;
        if (of(wanted, i) != o) continue;
        of(router.outputs, o).next_input = (i + 1) % kDirections;
        of(router.inputs, i).next_output = (o + 1) % kDirections;
        of(router.inputs, i).next_vc = (of(channel, i) + 1) % p_.vcs;
        grant(router, i, of(channel, i));
        break;
      }
  }

  void grant(MeshRouter& router, int i, int vc) {
    RouterInput& input = of(router.inputs, i);
    InputChannel& from = of(input.vcs, vc);
    OutputChannel& to = of(of(router.outputs, from.output).vcs, from.output_vc);
    const RouterFlit flit = from.flits.front();
    from.flits.pop_front();
    --router.flits;
    ++router.leaving;
    --to.credits;
    router.crossing.push_back({tick_ + 1, from.output, from.output_vc, flit});
    input.credits.push_back(vc);
    if (!flit.tail) {
      from.next_stage = tick_ + 1;
      return;
    }
    to.busy = false;
    from.routed = false;
    from.output = from.output_vc = kNobody;
  }

  void cross(MeshRouter& router) const {
    while (!router.crossing.empty() && router.crossing.front().ready <= tick_) {
      const MeshRouter::Crossing& out = router.crossing.front();
      of(router.outputs, out.output).queue.emplace_back(out.flit, out.vc);
      router.crossing.pop_front();
    }
  }

  /// What goes onto the links at the end of the cycle.
  void send_on(int node) {
    MeshRouter& router = of(routers_, node);
    for (int d = 0; d < kDirections; ++d) {
      std::deque<int>& credits = of(router.inputs, d).credits;
      if (!credits.empty()) {
        const long at = now_ + 1 + p_.link_latency;
        if (d == kToNode)
          tell(at, {node, kNobody, credits.front()});
        else
          tell(at + p_.credit_delay, {beside(node, d), back(d), credits.front()});
        credits.pop_front();
      }
      auto& queue = of(router.outputs, d).queue;
      if (queue.empty()) continue;
      const auto& [flit, vc] = queue.front();
      const bool ejected = d == kToNode;
      arrive(now_ + 1 + p_.link_latency,
             {ejected ? node : beside(node, d), ejected ? kNobody : back(d), vc, flit});
      queue.pop_front();
      --router.leaving;
    }
  }

  int beside(int node, int direction) const {
    constexpr std::array<int, 4> dx = {1, -1, 0, 0}, dy = {0, 0, -1, 1};
    return node + of(dx, direction) + of(dy, direction) * p_.side;
  }
  static int back(int direction) { return direction ^ 1; }
  void arrive(long at, const Arrival& arrival) { arrivals_[slot(at)].push_back(arrival); }
  void tell(long at, const Credit& credit) { credits_[slot(at)].push_back(credit); }
  bool in_window(long at) const { return at >= begin_ && at < end_; }

  RouterMeshParams p_;
  int nodes_;
  std::vector<MeshRouter> routers_;
  std::vector<MeshSource> sources_;
  std::vector<int> asks_;  // VA: the output channel each input channel asks for
  std::vector<std::vector<Arrival>> arrivals_;
  std::vector<std::vector<Credit>> credits_;
  long now_ = 0, tick_ = 0, begin_ = 0, end_ = 0, missing_ = 0;
  std::uint64_t measured_ = 0, delivered_ = 0;
  double sum_ = 0;
};

}  // namespace

RouterMeshResult run_router_mesh(const RouterMeshParams& params) { return RouterMesh(params).run(); }

}  // namespace wafertlm::test
