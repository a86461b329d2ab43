// SPDX-License-Identifier: Apache-2.0
#include "tests/support/flit_mesh.h"

#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <vector>

namespace wafertlm::test {
namespace {

constexpr int kNone = -1;
enum Port { kEast, kWest, kNorth, kSouth, kLocal, kPorts };

struct Flit {
  int destination;
  long created;
  bool head, tail;
  long ready;  // may be allocated from this cycle on
};

/// One virtual channel of an input.
struct InputVc {
  std::deque<Flit> flits;
  int output = kNone, output_vc = kNone;  // of the packet at the front, once it has a channel
};

/// The sender's view of one virtual channel of the next input.
struct OutputVc {
  int credits = 0;
  bool busy = false;  // a packet holds it
};

struct Input {
  std::vector<InputVc> vcs;
  int next_vc = 0;  // round-robin
};

struct Output {
  std::vector<OutputVc> vcs;
  int next = 0;         // round-robin over (input, virtual channel)
  int next_alloc = 0;   // the same for virtual-channel allocation
  int held_by = kNone;  // (input, vc) whose packet is being sent, when outputs are held
};

/// A router, or a source: then with one input and one output.
struct Router {
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  int flits = 0;  // in the buffers of its inputs
};

struct Arrival {
  int router, input, vc;  // router kNone: the sink of node `input`
  Flit flit;
};

struct Credit {
  int router, output, vc, flits;
};

template <typename V>
auto& at(V& of, int i) {
  return of[static_cast<std::size_t>(i)];
}
/// A virtual channel of an input or output.
template <typename V>
auto& at(V& of, int i, int vc) {
  return at(at(of, i).vcs, vc);
}

class FlitMesh {
 public:
  explicit FlitMesh(const FlitMeshParams& params)
      : p_(params), nodes_(params.width * params.height), random_(params.seed) {
    const int horizon = p_.link_latency + p_.injection_latency + p_.ejection_latency + p_.credit_delay + 4;
    arrivals_.resize(static_cast<std::size_t>(horizon));
    credits_.resize(static_cast<std::size_t>(horizon));
    for (int n = 0; n < nodes_; ++n) routers_.push_back(make_router(kPorts));
    for (int n = 0; n < nodes_; ++n) routers_.push_back(make_router(1));  // sources
  }

  FlitMeshResult run() {
    const long begin = p_.warmup_cycles, end = begin + p_.measure_cycles;
    begin_ = begin;
    end_ = end;
    for (now_ = 0; now_ < end || (missing_ > 0 && now_ < 3 * end); ++now_) step();
    FlitMeshResult result;
    result.packets = measured_;
    result.mean_cycles = sum_ / static_cast<double>(measured_);
    result.accepted = static_cast<double>(delivered_flits_) / static_cast<double>(p_.measure_cycles) / nodes_;
    result.complete = missing_ == 0;
    return result;
  }

 private:
  Router make_router(int ports) const {
    Router router;
    router.inputs.resize(static_cast<std::size_t>(ports));
    router.outputs.resize(static_cast<std::size_t>(ports));
    for (Input& input : router.inputs) input.vcs.resize(static_cast<std::size_t>(p_.vcs));
    for (Output& output : router.outputs)
      output.vcs.assign(static_cast<std::size_t>(p_.vcs), {p_.buffer_flits, false});
    return router;
  }

  std::size_t slot(long at) const { return static_cast<std::size_t>(at) % arrivals_.size(); }
  bool is_source(int router) const { return router >= nodes_; }

  void step() {
    for (const Credit& credit : credits_[slot(now_)])
      at(at(routers_, credit.router).outputs, credit.output, credit.vc).credits += credit.flits;
    credits_[slot(now_)].clear();
    for (const Arrival& arrival : arrivals_[slot(now_)]) take_in(arrival);
    arrivals_[slot(now_)].clear();
    for (int n = 0; n < nodes_; ++n) create(n);
    for (int r = 0; r < 2 * nodes_; ++r)
      if (at(routers_, r).flits > 0) allocate_vcs(r);
    for (int r = 0; r < 2 * nodes_; ++r)
      if (at(routers_, r).flits > 0) allocate_switch(r);
  }

  void take_in(const Arrival& arrival) {
    if (arrival.router != kNone) {
      Flit flit = arrival.flit;
      flit.ready = now_ + p_.pipeline;
      Router& router = at(routers_, arrival.router);
      at(router.inputs, arrival.input, arrival.vc).flits.push_back(flit);
      ++router.flits;
      return;
    }
    // The flit's head is here; it has arrived a cycle later. The sink takes it at once.
    if (!p_.variant.whole_packets)
      give_credit(now_ + 1, arrival.input, kLocal, arrival.vc, 1);
    else if (arrival.flit.tail)
      give_credit(now_ + 1, arrival.input, kLocal, arrival.vc, p_.packet_flits);
    const long arrived = now_ + 1;
    if (arrived >= begin_ && arrived < end_) ++delivered_flits_;
    if (!arrival.flit.tail || !in_window(arrival.flit.created)) return;
    --missing_;
    ++measured_;
    sum_ += static_cast<double>(arrived - arrival.flit.created);
  }

  void create(int node) {
    if (std::uniform_real_distribution<>()(random_) >= p_.load / p_.packet_flits) return;
    const int destination = std::uniform_int_distribution<>(0, nodes_ - 1)(random_);
    if (in_window(now_)) ++missing_;
    // The source's only queue; virtual channels are chosen on the way out.
    Router& source = at(routers_, nodes_ + node);
    std::deque<Flit>& queue = at(source.inputs, 0, 0).flits;
    source.flits += p_.packet_flits;
    for (int i = 0; i < p_.packet_flits; ++i)
      queue.push_back({destination, now_, i == 0, i == p_.packet_flits - 1, now_});
  }

  int route(int router, int destination) const {
    if (is_source(router)) return 0;
    const int dx = destination % p_.width - router % p_.width,
              dy = destination / p_.width - router / p_.width;
    if (dx != 0) return dx > 0 ? kEast : kWest;
    if (dy != 0) return dy > 0 ? kSouth : kNorth;
    return kLocal;
  }

  bool waits_for_vc(const InputVc& vc) const {
    if (vc.flits.empty() || vc.flits.front().ready > now_) return false;
    return vc.output_vc == kNone || (p_.variant.shared_vcs && vc.flits.front().head);
  }

  /// Gives heads a free virtual channel of their output, the one with most credits; round-robin among heads.
  void allocate_vcs(int r) {
    Router& router = at(routers_, r);
    const int contenders = static_cast<int>(router.inputs.size()) * p_.vcs;
    std::array<bool, kPorts> wanted{};
    wants_.assign(static_cast<std::size_t>(contenders), kNone);
    for (int who = 0; who < contenders; ++who) {
      const InputVc& vc = at(router.inputs, who / p_.vcs, who % p_.vcs);
      if (!waits_for_vc(vc)) continue;
      at(wants_, who) = route(r, vc.flits.front().destination);
      at(wanted, at(wants_, who)) = true;
    }
    for (int o = 0; o < static_cast<int>(router.outputs.size()); ++o) {
      if (!at(wanted, o)) continue;
      Output& output = at(router.outputs, o);
      for (int k = 0, first = output.next_alloc; k < contenders; ++k) {
        const int who = (first + k) % contenders;
        if (at(wants_, who) != o) continue;
        InputVc& vc = at(router.inputs, who / p_.vcs, who % p_.vcs);
        int best = kNone;
        for (int v = 0; v < p_.vcs; ++v) {
          const OutputVc& candidate = at(output.vcs, v);
          if (candidate.busy && !p_.variant.shared_vcs) continue;
          if (best == kNone || candidate.credits > at(output.vcs, best).credits) best = v;
        }
        if (best == kNone) break;
        vc.output = o;
        vc.output_vc = best;
        at(output.vcs, best).busy = true;
        output.next_alloc = (who + 1) % contenders;
      }
    }
  }

  bool may_send(const Router& router, int input, int v) const {
    const InputVc& vc = at(router.inputs, input, v);
    if (vc.output_vc == kNone || vc.flits.empty() || vc.flits.front().ready > now_) return false;
    const Output& output = at(router.outputs, vc.output);
    const int who = input * p_.vcs + v;
    if (p_.variant.hold_output && output.held_by != kNone && output.held_by != who) return false;
    const int needed = !p_.variant.whole_packets ? 1 : vc.flits.front().head ? p_.packet_flits : 0;
    return at(output.vcs, vc.output_vc).credits >= needed;
  }

  void allocate_switch(int r) {
    Router& router = at(routers_, r);
    const int inputs = static_cast<int>(router.inputs.size());
    for (std::vector<int>& waiting : requests_) waiting.clear();
    for (int i = 0; i < inputs; ++i) {
      Input& input = at(router.inputs, i);
      for (int k = 0; k < p_.vcs; ++k) {
        const int v = (input.next_vc + k) % p_.vcs;
        if (!may_send(router, i, v)) continue;
        at(requests_, at(input.vcs, v).output).push_back(i * p_.vcs + v);
        if (!p_.variant.port_per_vc) break;
      }
    }
    const int contenders = inputs * p_.vcs;
    for (int o = 0; o < static_cast<int>(router.outputs.size()); ++o) {
      Output& output = at(router.outputs, o);
      int winner = kNone, best = contenders;
      for (const int who : at(requests_, o)) {
        const int rank = (who - output.next + contenders) % contenders;
        if (rank < best) best = rank, winner = who;
      }
      if (winner == kNone) continue;
      output.next = (winner + 1) % contenders;
      at(router.inputs, winner / p_.vcs).next_vc = (winner % p_.vcs + 1) % p_.vcs;
      send(r, winner / p_.vcs, winner % p_.vcs);
    }
  }

  void send(int r, int i, int v) {
    Router& router = at(routers_, r);
    InputVc& from = at(router.inputs, i, v);
    const Flit flit = from.flits.front();
    from.flits.pop_front();
    --router.flits;
    const int o = from.output, out_vc = from.output_vc;
    Output& output = at(router.outputs, o);
    OutputVc& to = at(output.vcs, out_vc);
    if (!p_.variant.whole_packets)
      --to.credits;
    else if (flit.head)
      to.credits -= p_.packet_flits;
    output.held_by = flit.tail ? kNone : i * p_.vcs + v;
    if (flit.tail) {
      to.busy = false;
      from.output = from.output_vc = kNone;
    }
    if (!is_source(r) && (!p_.variant.whole_packets || flit.tail)) {
      const int flits = p_.variant.whole_packets ? p_.packet_flits : 1;
      if (i == kLocal)
        give_credit(now_ + 1, nodes_ + r, 0, v, flits);
      else
        give_credit(now_ + 1, neighbor(r, i), opposite(i), v, flits);
    }
    if (is_source(r))
      arrive(p_.injection_latency, {r - nodes_, kLocal, out_vc, flit});
    else if (o == kLocal)
      arrive(p_.ejection_latency, {kNone, r, out_vc, flit});
    else
      arrive(p_.link_latency, {neighbor(r, o), opposite(o), out_vc, flit});
  }

  int neighbor(int r, int port) const {
    return port == kEast ? r + 1 : port == kWest ? r - 1 : port == kSouth ? r + p_.width : r - p_.width;
  }
  static int opposite(int port) {
    return port == kEast ? kWest : port == kWest ? kEast : port == kNorth ? kSouth : kNorth;
  }
  void arrive(int delay, const Arrival& arrival) { arrivals_[slot(now_ + delay)].push_back(arrival); }
  void give_credit(long from, int router, int output, int vc, int flits) {
    credits_[slot(from + p_.credit_delay)].push_back({router, output, vc, flits});
  }
  bool in_window(long at) const { return at >= begin_ && at < end_; }

  FlitMeshParams p_;
  int nodes_;
  std::mt19937_64 random_;
  std::vector<Router> routers_;  // the nodes' routers, then their sources
  std::vector<int> wants_;       // allocate_vcs: the output of each head that waits for a channel
  std::array<std::vector<int>, kPorts> requests_;  // allocate_switch: who asks for an output
  std::vector<std::vector<Arrival>> arrivals_;
  std::vector<std::vector<Credit>> credits_;
  long now_ = 0, begin_ = 0, end_ = 0;
  long missing_ = 0;
  std::uint64_t measured_ = 0, delivered_flits_ = 0;
  double sum_ = 0;
};

}  // namespace

FlitMeshResult run_flit_mesh(const FlitMeshParams& params) { return FlitMesh(params).run(); }

}  // namespace wafertlm::test
