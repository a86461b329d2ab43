// SPDX-License-Identifier: Apache-2.0
#include "models/graph/graph_fabric.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tlm/fabric/checker.h"
#include "tlm/link/route_check.h"
#include "tlm/packets/npu_name.h"
#include "tlm/remote/remote_links.h"

namespace wafertlm {
namespace {

/// Between an NPU and its node there is no wire: the fastest line there can be.
constexpr OutputParams kNoWire{GraphFabric::kNoWireBytesPerS, 0, std::uint64_t{1} << 60};

/// The ring of links to NPUs, if these are to have the lower half of the channels only.
constexpr std::uint16_t kToNpus = 0xFFFF;

PortId place_in(const std::vector<std::uint32_t>& list, std::uint32_t link) {
  return static_cast<PortId>(std::find(list.begin(), list.end(), link) - list.begin());
}

}  // namespace

namespace {

/// Which channels wait for which, in the routes of a graph. A ring's link is two channels, for each half of
/// its virtual channels (see RingPort).
class ChannelWalk {
 public:
  explicit ChannelWalk(const FabricGraph& graph)
      : graph_(graph), walked_for_(2 * graph.links().size(), kNobody), next_(2 * graph.links().size()) {}

  /// The rest of a way that another one to the same NPU has gone is not gone again.
  void walk(NpuId from, NpuId to) {
    const bool is_given = graph_.has_given_route(from, to);
    State state;
    for (auto at = static_cast<std::uint32_t>(index_of(from)); at != index_of(to);) {
      const std::uint32_t link = graph_.next_link(at, from, to);
      if (link >= graph_.links().size()) return;  // there is no way
      const State before = std::exchange(state, after(state, link));
      if (before.channel != kNobody && !graph_.is_leaf(graph_.links()[link].to))
        add(next_[before.channel], state.channel);
      at = graph_.links()[link].to;
      if (is_given) continue;
      if (walked_for_[state.channel] == index_of(to)) return;
      walked_for_[state.channel] = static_cast<std::uint32_t>(index_of(to));
    }
  }
  void require_no_cycle() const {
    RouteCheck check(0);
    for (const FabricGraph::Link& link : graph_.links()) {
      const std::string name = graph_.vertices()[link.from].name + "->" + graph_.vertices()[link.to].name;
      check.add_channel(name);
      check.add_channel(name + " behind the dateline");
    }
    for (std::size_t channel = 0; channel < next_.size(); ++channel)
      for (const std::uint32_t next : next_[channel]) check.add_route({channel, next});
    check.require_no_cycle(graph_.npus());
  }

 private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  struct State {
    std::uint32_t channel = kNobody;  // that was taken last; twice the link, 1 more behind the dateline
    std::uint16_t ring = 0;
    bool crossed = false;
  };
  State after(const State& before, std::uint32_t link) const {
    const FabricGraph::Link& at = graph_.links()[link];
    const bool crossed = at.ring != 0 && (at.dateline || (before.crossed && at.ring == before.ring));
    return {2 * link + (crossed ? 1 : 0), at.ring, crossed};
  }
  static void add(std::vector<std::uint32_t>& list, std::uint32_t channel) {
    if (std::find(list.begin(), list.end(), channel) == list.end()) list.push_back(channel);
  }

  const FabricGraph& graph_;
  std::vector<std::uint32_t> walked_for_;         // by channel: the NPU
  std::vector<std::vector<std::uint32_t>> next_;  // by channel; an endpoint always accepts
};

}  // namespace

void require_no_cycle(const FabricGraph& graph) {
  ChannelWalk walk(graph);
  for (std::uint32_t to = 0; to < graph.npus(); ++to)
    for (std::uint32_t from = 0; from < graph.npus(); ++from)
      if (from != to) walk.walk(static_cast<NpuId>(from), static_cast<NpuId>(to));
  walk.require_no_cycle();
}

VertexRouting::VertexRouting(const FabricGraph& graph, std::uint32_t vertex)
    : graph_(graph), vertex_(vertex), own_port_(static_cast<std::uint32_t>(graph.out_of(vertex).size())) {
  const auto& out = graph.out_of(vertex);
  if (out.empty()) return;
  first_link_ = out.front();
  port_of_.resize(out.back() - first_link_ + 1);
  for (std::uint32_t port = 0; port < out.size(); ++port) port_of_[out[port] - first_link_] = port;
}

PortId VertexRouting::output_for(const Packet& packet) const {
  if (index_of(packet.destination) == vertex_) return static_cast<PortId>(own_port_);
  return static_cast<PortId>(
      port_of_[graph_.next_link(vertex_, packet.source, packet.destination) - first_link_]);
}

GraphFabric::GraphFabric(const sc_core::sc_module_name& name, const GraphParams& params,
                         const ClassTable& classes, Scheduler& scheduler, CheckerSet* checkers, bool reverse,
                         RemoteLinks* remote)
    : Fabric(name),
      params_(params),
      graph_(*params_.graph),
      classes_(classes),
      checkers_(checkers),
      remote_(remote) {
  check_params();
  const auto vertices = static_cast<std::uint32_t>(graph_.vertices().size());
  number_.resize(vertices);
  for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
    routing_.emplace_back(graph_, vertex);
    if (graph_.is_leaf(vertex)) continue;
    number_[vertex] = vertex_.size();
    vertex_.push_back(vertex);
  }
  switches_.resize(vertex_.size());
  for (std::uint32_t k = 0; k < vertices; ++k) {
    const std::uint32_t vertex = reverse ? vertices - 1 - k : k;
    if (!graph_.is_leaf(vertex) && is_here(vertex)) make_switch(vertex, classes, scheduler);
  }
  bind_links();
  if (!remote_ || remote_->part().has_any()) require_no_cycle(graph_);  // else nothing goes over it
}

bool GraphFabric::is_here(std::uint32_t vertex) const {
  return !remote_ || remote_->part().has(params_.wafer_of[vertex]);
}

std::uint64_t GraphFabric::bytes_per_s(const FabricLink& link) const {
  const auto& out = graph_.out_of(vertex_[link.from]);
  const std::size_t port = index_of(link.output);
  return port < out.size() ? graph_.links()[out[port]].bytes_per_s : kNoWireBytesPerS;
}

std::string GraphFabric::route_failure(NpuId from, NpuId to) const {
  for (const NpuId failed : params_.failed_npus)
    if (failed == from || failed == to) return npu_name(failed) + " does not work, or is cut off";
  return graph_.reaches(from, to) ? "" : "no links that work join " + npu_name(from) + " to " + npu_name(to);
}

void GraphFabric::check_params() const {
  check_buffer(params_.format, params_.buffer_bytes);
  if (params_.format.by_flit) throw std::invalid_argument("a graph does not go with wormhole switching");
  for (const FabricGraph::Link& link : graph_.links())
    if (!graph_.is_leaf(link.from) && !graph_.is_leaf(link.to) &&
        link.latency_ps + graph_.vertices()[link.to].pipeline_ps == 0)
      throw std::invalid_argument("the link from " + graph_.vertices()[link.from].name + " to " +
                                  graph_.vertices()[link.to].name + " and " +
                                  graph_.vertices()[link.to].name +
                                  " behind it take no time; one of them must take 1 ps or more");
}

OutputParams GraphFabric::output(std::uint32_t number) const {
  const FabricGraph::Link& link = graph_.links()[number];
  OutputParams made{link.bytes_per_s, link.latency_ps, params_.buffer_bytes};
  if (made.buffer_bytes != 0) return made;
  const auto room = [&](std::uint32_t packets) {
    return auto_buffer_bytes(link.bytes_per_s,
                             link.latency_ps + graph_.vertices()[link.to].pipeline_ps + credit_delay_ps(link),
                             params_.format, packets);
  };
  made.buffer_bytes = link.windows * room(link.buffer_packets);
  if (link.windows > 1) made.round_trip_bytes = room(0);
  return made;
}

OutputParams GraphFabric::npu_link(NpuId npu) const {
  const auto vertex = static_cast<std::uint32_t>(index_of(npu));
  return graph_.is_leaf(vertex) ? output(graph_.out_of(vertex).front()) : kNoWire;
}

bool GraphFabric::injection_is_wire() const {
  for (std::uint32_t npu = 0; npu < npus(); ++npu)
    if (!graph_.is_leaf(npu)) return false;
  return true;
}

const RouteFunction* GraphFabric::port_routes(NpuId npu) const {
  return graph_.is_leaf(static_cast<std::uint32_t>(index_of(npu))) ? nullptr : &routing_[index_of(npu)];
}

std::uint32_t GraphFabric::ports(NpuId npu) const { return routing_[index_of(npu)].outputs(); }

/// As fast as the fastest link behind the switch: one that is faster would fill the buffer that messages for
/// other links share.
std::uint64_t GraphFabric::message_bytes_per_s_of(NpuId npu) const {
  if (params_.message_bytes_per_s != 0) return params_.message_bytes_per_s;
  const auto vertex = static_cast<std::uint32_t>(index_of(npu));
  if (!graph_.is_leaf(vertex)) return 0;
  std::uint64_t fastest = 0;
  for (const std::uint32_t link : graph_.out_of(graph_.cluster_of(npu)))
    if (graph_.links()[link].to != vertex) fastest = std::max(fastest, graph_.links()[link].bytes_per_s);
  return std::min(fastest, graph_.links()[graph_.out_of(vertex).front()].bytes_per_s);
}

PortId GraphFabric::input_of(std::uint32_t link) const {
  return place_in(graph_.into(graph_.links()[link].to), link);
}

PortId GraphFabric::output_of(std::uint32_t link) const {
  return place_in(graph_.out_of(graph_.links()[link].from), link);
}

/// The ports are those of the links, and of a node one for the NPU.
void GraphFabric::make_switch(std::uint32_t vertex, const ClassTable& classes, Scheduler& scheduler) {
  SwitchParams params;
  params.pipeline_ps = graph_.vertices()[vertex].pipeline_ps;
  std::vector<std::string> inputs, outputs;
  for (const std::uint32_t link : graph_.into(vertex)) {
    params.credit_delay_ps.push_back(credit_delay_ps(graph_.links()[link]));
    params.ring_inputs.push_back({graph_.links()[link].ring, false});
    inputs.push_back(graph_.vertices()[graph_.links()[link].from].name);
  }
  for (const std::uint32_t link : graph_.out_of(vertex)) {
    params.outputs.push_back(output(link));
    const bool enters_anew = params_.npus_on_lower_half && graph_.is_leaf(graph_.links()[link].to);
    params.ring_outputs.push_back(enters_anew
                                      ? RingPort{kToNpus, false}
                                      : RingPort{graph_.links()[link].ring, graph_.links()[link].dateline});
    outputs.push_back(graph_.vertices()[graph_.links()[link].to].name);
  }
  if (vertex < npus()) {
    params.credit_delay_ps.push_back(0);
    params.outputs.push_back(kNoWire);
    params.ring_outputs.emplace_back();
    inputs.emplace_back("npu");
    outputs.emplace_back("npu");
  }
  if (std::none_of(params.ring_outputs.begin(), params.ring_outputs.end(),
                   [](const RingPort& port) { return port.ring != 0; })) {
    params.ring_outputs.clear();
    params.ring_inputs.clear();
  }
  const std::string name = (vertex < npus() ? "node_" : "switch_") + graph_.vertices()[vertex].name;
  switches_[number_[vertex]] = std::make_unique<SwitchModule>(name.c_str(), params, inputs, outputs, classes,
                                                              routing_[vertex], scheduler);
}

void GraphFabric::bind_links() {
  for (std::uint32_t link = 0; link < graph_.links().size(); ++link) {
    const std::uint32_t from = graph_.links()[link].from, to = graph_.links()[link].to;
    if (graph_.is_leaf(from)) continue;
    const std::string &begin = graph_.vertices()[from].name, &end = graph_.vertices()[to].name;
    links_.push_back({begin + "->" + end, number_[from], output_of(link), graph_.is_leaf(to)});
    if (is_here(from) != is_here(to))
      bind_remote(link);
    else if (!graph_.is_leaf(to) && is_here(from))
      bind_checked(module_of(from).output(output_of(link)), module_of(to).input(input_of(link)), checkers_,
                   begin + "_to_" + end, output(link), classes_);
  }
  for (std::uint32_t npu = 0; npu < npus(); ++npu)
    if (!graph_.is_leaf(npu))
      links_.push_back({"node_" + graph_.vertices()[npu].name + "->" + endpoint_name(static_cast<NpuId>(npu)),
                        number_[npu], static_cast<PortId>(graph_.out_of(npu).size()), true});
}

void GraphFabric::bind_remote(std::uint32_t link) {
  const FabricGraph::Link& cut = graph_.links()[link];
  if (is_here(cut.from))
    bind_checked(module_of(cut.from).output(output_of(link)), remote_->begin(link, params_.wafer_of[cut.to]),
                 checkers_, graph_.vertices()[cut.from].name + "_to_" + graph_.vertices()[cut.to].name,
                 output(link), classes_);
  else
    remote_->end(link, params_.wafer_of[cut.from], module_of(cut.to).input(input_of(link)));
}

void GraphFabric::attach(NpuId endpoint, FabricInitiatorSocket& to_fabric, FabricTargetSocket& from_fabric) {
  const auto vertex = static_cast<std::uint32_t>(index_of(endpoint));
  SwitchModule& own = module_of(graph_.cluster_of(endpoint));
  const std::string name = endpoint_name(endpoint), at = switch_of(endpoint);
  if (graph_.is_leaf(vertex)) {
    const std::uint32_t up = graph_.out_of(vertex).front(), down = graph_.into(vertex).front();
    bind_checked(to_fabric, own.input(input_of(up)), checkers_, name + "_to_" + at, output(up), classes_);
    bind_checked(own.output(output_of(down)), from_fabric, checkers_, at + "_to_" + name, output(down),
                 classes_);
    return;
  }
  // Packets for several links go in side by side, so there is no line whose rules a checker could hold.
  to_fabric.bind(own.input(static_cast<PortId>(graph_.into(vertex).size())));
  bind_checked(own.output(static_cast<PortId>(graph_.out_of(vertex).size())), from_fabric, checkers_,
               "node_" + at + "_to_" + name, kNoWire, classes_);
}

}  // namespace wafertlm
