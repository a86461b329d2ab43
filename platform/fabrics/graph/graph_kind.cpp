// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/graph/graph_kind.h"

#include <fmt/format.h>

#include <map>
#include <ostream>
#include <set>
#include <stdexcept>

#include "platform/describe/document.h"
#include "platform/describe/file_kind.h"
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "platform/fabrics/graph/infragraph.h"
#include "platform/fabrics/graph/on_graph.h"
#include "platform/spec/wafer_spec.h"
#include "platform/text/suggest.h"
#include "tlm/fabric/fabric.h"
#include "tlm/packets/class_table.h"

namespace wafertlm {
namespace config {
namespace {

using Numbers = std::map<std::string, std::uint32_t>;

/// Vertices by name.
Numbers numbers_of(const GraphSpec& graph) {
  Numbers numbers;
  for (std::uint32_t npu = 0; npu < graph.npus; ++npu) numbers.emplace("npu" + std::to_string(npu), npu);
  for (const GraphSwitchSpec& each : graph.switches)
    numbers.emplace(each.name, static_cast<std::uint32_t>(numbers.size()));
  return numbers;
}

std::vector<FabricGraph::Link> links_of(const GraphSpec& graph, const Numbers& numbers) {
  std::vector<FabricGraph::Link> links;
  for (const GraphLinkSpec& each : graph.links) {
    const std::uint32_t from = numbers.at(each.from), to = numbers.at(each.to);
    links.push_back({from, to, each.bandwidth_bytes_per_s, each.latency_ps, 0, false});
    if (!each.one_way) links.push_back({to, from, each.bandwidth_bytes_per_s, each.latency_ps, 0, false});
  }
  return links;
}

/// Numbers the rings, a direction each, and sets their datelines at the links between the last and the first.
/// @throws std::invalid_argument: no such link, or one of another ring.
void set_rings(const GraphSpec& graph, const Numbers& numbers, std::vector<FabricGraph::Link>& links) {
  std::uint16_t ring = 0;
  for (const std::vector<std::string>& names : graph.rings) {
    for (const bool forward : {true, false}) {
      ++ring;
      std::size_t found = 0;
      for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string &here = names[i], &next = names[(i + 1) % names.size()];
        for (FabricGraph::Link& link : links) {
          if (link.from != numbers.at(forward ? here : next) || link.to != numbers.at(forward ? next : here))
            continue;
          if (link.ring != 0)
            throw std::invalid_argument(
                fmt::format("the link between {} and {} is in two rings", here, next));
          link.ring = ring;
          link.dateline = i + 1 == names.size();
          ++found;
        }
      }
      if (found != names.size() && (forward || found != 0))
        throw std::invalid_argument(
            fmt::format("the ring from {} on has {} places, but {} links between them", names.front(),
                        names.size(), found));
    }
  }
}

void require_known(const GraphSpec& graph, const Numbers& numbers, const std::string& name,
                   const Check& check) {
  if (numbers.count(name) != 0) return;
  std::vector<std::string> known;
  for (const auto& [each, number] : numbers) known.push_back(each);
  std::vector<const void*> culprits{&name, &graph.npus, &graph.switches};
  for (const GraphSwitchSpec& each : graph.switches) culprits.push_back(&each.name);
  check.fail(culprits, "there is no '{}'{}", name, suggestion(name, known, "there are"));
}

void check_graph(const GraphSpec& graph, const Check& check) {
  Numbers numbers = numbers_of(graph);
  std::set<std::string> names;
  for (const GraphSwitchSpec& each : graph.switches)
    if (!names.insert(each.name).second ||
        (each.name.rfind("npu", 0) == 0 && numbers.at(each.name) < graph.npus))
      check.fail({&each.name}, "there are two '{}'", each.name);
  std::set<std::pair<std::string, std::string>> seen;
  for (const GraphLinkSpec& each : graph.links) {
    require_known(graph, numbers, each.from, check);
    require_known(graph, numbers, each.to, check);
    if (each.from == each.to) check.fail({&each.to}, "a link from {} to itself", each.from);
    if (!seen.emplace(each.from, each.to).second ||
        (!each.one_way && !seen.emplace(each.to, each.from).second))
      check.fail({&each.from},
                 "there is a link between {} and {} already; one with their bandwidths added does the same",
                 each.from, each.to);
  }
  for (const auto* lists : {&graph.routes, &graph.rings})
    for (const auto& list : *lists)
      for (const std::string& name : list) require_known(graph, numbers, name, check);
  const auto attempt = [&](const void* culprit, const auto& what) {
    try {
      what();
    } catch (const std::invalid_argument& error) {
      check.fail({culprit, &graph.npus, &graph.switches, &graph.links}, error.what());
    }
  };
  attempt(&graph.rings, [&] {
    auto links = links_of(graph, numbers);
    set_rings(graph, numbers, links);
  });
  attempt(&graph.links, [&] {
    GraphSpec plain = graph;
    plain.routes.clear();
    plain.built();
  });
  attempt(&graph.routes, [&] { graph.built(); });
}

/// A graph, in place or in a file of its own.
std::shared_ptr<const Struct<GraphSpec>> graph_type() {
  static const auto type = [] {
    auto at = std::make_shared<Struct<GraphSwitchSpec>>("graph_switch");
    at->required("name", &GraphSwitchSpec::name, word(), "As links and routes call it")
        .optional("pipeline", &GraphSwitchSpec::pipeline_ps, any_time(),
                  "Time from an input to an output, without waiting");
    auto link = std::make_shared<Struct<GraphLinkSpec>>("graph_link");
    link->required("from", &GraphLinkSpec::from, word(), "npu<n>, or a switch")
        .required("to", &GraphLinkSpec::to, word(), "npu<n>, or a switch")
        .required("bandwidth", &GraphLinkSpec::bandwidth_bytes_per_s, any_bandwidth(), "Each direction")
        .required("latency", &GraphLinkSpec::latency_ps, any_time(), "On the wire")
        .optional("one_way", &GraphLinkSpec::one_way, boolean(), "Only from the first to the second");
    const auto places = list_of(word(), 2, 65'536);
    auto made = std::make_shared<Struct<GraphSpec>>("graph");
    made->presets_in("graphs");
    made->required("graph", &GraphSpec::name, text(), "Name of the graph")
        .required("npus", &GraphSpec::npus, integer<std::uint32_t>(1, 4096), "They are npu0, npu1, …")
        .optional("switches", &GraphSpec::switches, list_of<GraphSwitchSpec>(at, 0, 65'536), "The switches")
        .required("links", &GraphSpec::links, list_of<GraphLinkSpec>(link, 0, 1'000'000), "The links")
        .optional("routes", &GraphSpec::routes, list_of(places, 0, 1'000'000),
                  "Ways from an NPU to another, as names in order, in place of the shortest one")
        .optional("rings", &GraphSpec::rings, list_of(places, 0, 10'000),
                  "Names in the order in which links go round: packets change to other virtual channels "
                  "between the last and the first, so that a ring cannot deadlock")
        .optional(
            "shortest", &GraphSpec::shortest, one_of<FabricGraph::Shortest>({"hops", "latency"}),
            "What the shortest way has the least of; of equal ones that over the first links of the list")
        .check(check_graph);
    return made;
  }();
  return type;
}

/// … or an InfraGraph.
class GraphFile final : public FileOr<GraphSpec> {
 public:
  using FileOr::FileOr;
  void load_files(Node& value) const override {
    FileOr::load_files(value);
    if (is_infragraph(value)) value = graph_of_infragraph(value);
  }
};

}  // namespace

FileKind graph_file_kind() {
  return {graph_type().get(), "", "a fabric as a list of links",
          [](const CheckRequest& request, std::ostream& out) {
            Origins origins;
            const Node root = load_document(request.file);
            const GraphSpec spec = graph_type()->read(Reader(root, "", origins));
            out << check_line("graph", fmt::format("{}: {} NPUs", spec.name, spec.npus));
          }};
}

std::shared_ptr<const FabricGraph> GraphSpec::built() const {
  if (built_) return built_;
  const Numbers numbers = numbers_of(*this);
  std::vector<FabricGraph::Vertex> vertices;
  for (std::uint32_t npu = 0; npu < npus; ++npu) vertices.push_back({"npu" + std::to_string(npu), 0});
  for (const GraphSwitchSpec& each : switches) vertices.push_back({each.name, each.pipeline_ps});
  std::vector<FabricGraph::Link> list = links_of(*this, numbers);
  set_rings(*this, numbers, list);
  std::vector<std::vector<std::uint32_t>> given;
  for (const auto& names : routes) {
    given.emplace_back();
    for (const std::string& each : names) given.back().push_back(numbers.at(each));
  }
  built_ = std::make_shared<const FabricGraph>(npus, std::move(vertices), std::move(list), shortest, given);
  return built_;
}

}  // namespace config

namespace {

GraphParams params_of(const config::WaferSpec& wafer) {
  return graph_params(wafer.fabric, wafer.fabric.as<config::GraphSpec>().built());
}

/// An NPU on one link has an injection port; others send through a port per link.
bool has_leaf(const FabricGraph& graph) {
  for (std::uint32_t npu = 0; npu < graph.npus(); ++npu)
    if (graph.is_leaf(npu)) return true;
  return false;
}

class GraphKind final : public FabricKind {
 public:
  std::string name() const override { return "graph"; }
  std::string meaning() const override { return "a list of links"; }
  std::any default_params() const override { return config::GraphSpec(); }
  void add_keys(config::Struct<config::FabricSpec>& fabric) const override {
    fabric.required(
        "file", [](auto& spec) -> auto& { return spec.template as<config::GraphSpec>(); },
        std::make_shared<const config::GraphFile>(config::graph_type()),
        "The graph: the name of a file (an InfraGraph, too), or its keys");
  }
  void check(const config::FabricSpec& fabric, const config::Check& check) const override {
    if (fabric.link_latency_ps != FabricParams().link_latency_ps)  // resolved files have the default
      check.fail({&fabric.link_latency_ps},
                 "has no effect: each link has a latency of its own; leave it out");
    if (abilities(fabric).dateline_channels && 2 * fabric.virtual_channels > kMaxVcs)
      check.fail({&fabric.virtual_channels}, "rings need two channels for each, so at most {} are possible",
                 kMaxVcs / 2);
    if (fabric.input_queue == InputQueue::fifo)
      check.fail({&fabric.input_queue}, "a graph needs a queue per output: per_output");
    if (fabric.is_reliable())
      check.fail({&fabric.bit_error_rate, &fabric.reliability.protocol},
                 "bit errors are not modelled on a graph; leave them out");
  }
  FabricAbilities abilities(const config::FabricSpec& fabric) const override {
    FabricAbilities abilities;
    abilities.endpoint_memory = false;
    abilities.dma_engines = has_leaf(*fabric.as<config::GraphSpec>().built());
    abilities.dateline_channels = !fabric.as<config::GraphSpec>().rings.empty();
    return abilities;
  }
  std::uint32_t npus(const config::WaferSpec& wafer) const override {
    return wafer.fabric.as<config::GraphSpec>().npus;
  }
  std::vector<std::string> size_keys() const override { return {"wafer.fabric.file.npus"}; }
  TimePs horizon_ps(const config::WaferSpec& wafer) const override {
    return graph_horizon_ps(params_of(wafer));
  }
  std::unique_ptr<Fabric> make(const config::WaferSpec& wafer, const BuildContext& in) const override {
    return make_graph_fabric(params_of(wafer), in);
  }
  FabricTraits traits(const config::WaferSpec& wafer) const override {
    return graph_traits(params_of(wafer));
  }
  FabricLinkRate fastest_link(const config::WaferSpec& wafer) const override {
    return wafertlm::fastest_link(*params_of(wafer).graph);
  }
  traffic::TrafficModel traffic(const config::WaferSpec& wafer) const override {
    return graph_traffic("graph " + wafer.fabric.as<config::GraphSpec>().name, params_of(wafer), grid(wafer));
  }
  std::string describe(const config::WaferSpec& wafer) const override {
    return describe_graph(wafer.fabric.as<config::GraphSpec>().name, params_of(wafer));
  }
};

}  // namespace

std::unique_ptr<const FabricKind> graph_kind() { return std::make_unique<GraphKind>(); }

}  // namespace wafertlm
