// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/graph/graph_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <stdexcept>

#include "models/graph/graph_fabric.h"
#include "platform/describe/document.h"
#include "platform/describe/file_kind.h"
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "platform/fabrics/graph/graph_wafers.h"
#include "platform/fabrics/graph/infragraph.h"
#include "platform/fabrics/graph/on_graph.h"
#include "platform/spec/connected_parts.h"
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

/// What each of the links has of its bandwidth; 0: it, or a switch at its end, does not work.
std::vector<std::uint32_t> percent_of_links(const GraphSpec& graph,
                                            const std::vector<FabricGraph::Link>& list,
                                            const DefectsSpec& defects) {
  std::vector<std::uint32_t> percent(list.size(), 100);
  if (defects.switches.empty() && defects.links.empty() && defects.slow_links.empty()) return percent;
  const Numbers numbers = numbers_of(graph);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> between;
  for (std::size_t i = 0; i < list.size(); ++i) between.emplace(std::pair(list[i].from, list[i].to), i);
  const auto set = [&](const std::string& from, const std::string& to, std::uint32_t value) {
    const auto a = numbers.find(from), b = numbers.find(to);
    if (a == numbers.end() || b == numbers.end()) return;  // refused by check_wafer()
    if (const auto link = between.find({a->second, b->second}); link != between.end())
      percent[link->second] = value;
  };
  const auto set_link = [&](const LinkName& link, std::uint32_t value) {
    set(link.from, link.to, value);
    if (!link.one_way) set(link.to, link.from, value);
  };
  for (const SlowLink& slow : defects.slow_links) set_link(slow.link, slow.speed_percent);
  for (const LinkName& link : defects.links) set_link(link, 0);
  for (const std::string& name : defects.switches)
    if (const auto dead = numbers.find(name); dead != numbers.end())
      for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i].from == dead->second || list[i].to == dead->second) percent[i] = 0;
  return percent;
}

void check_graph_defects(const WaferSpec& wafer, const Check& check) {
  const auto& graph = wafer.fabric.as<GraphSpec>();
  const DefectsSpec& defects = wafer.fabric.defects;
  std::vector<std::string> names;
  for (const auto& [name, number] : numbers_of(graph)) names.push_back(name);
  const std::set<std::string> known(names.begin(), names.end());
  const auto require_name = [&](const std::string& name, const void* culprit) {
    if (known.count(name) == 0)
      check.fail({culprit}, "there is no '{}'{}", name, suggestion(name, names, "there are"));
  };
  std::set<std::string> seen;
  for (const std::string& name : defects.switches) {
    require_name(name, &name);
    if (!seen.insert(name).second) check.fail({&name}, "'{}' is listed twice", name);
    if (std::none_of(graph.switches.begin(), graph.switches.end(),
                     [&](const GraphSwitchSpec& each) { return each.name == name; }))
      check.fail({&name}, "'{}' is no switch; list it under npus", name);
  }
  std::set<std::pair<std::string, std::string>> links;
  for (const GraphLinkSpec& link : graph.links) {
    links.emplace(link.from, link.to);
    if (!link.one_way) links.emplace(link.to, link.from);
  }
  const auto require_link = [&](const LinkName& link) {
    require_name(link.from, &link);
    require_name(link.to, &link);
    const auto require_way = [&](const std::string& from, const std::string& to) {
      if (links.count({from, to}) == 0)
        check.fail({&link}, "there is no link from {} to {}; a link is named by its ends, such as {}", from,
                   to,
                   graph.links.empty() ? "a->b" : graph.links.front().from + "->" + graph.links.front().to);
    };
    require_way(link.from, link.to);
    if (!link.one_way) require_way(link.to, link.from);
  };
  for (const LinkName& link : defects.links) require_link(link);
  for (const SlowLink& slow : defects.slow_links) require_link(slow.link);
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
  for (const auto* lists : {&graph.routes, &graph.rings, &graph.wafers})
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
  check_graph_wafers(graph, numbers, check);
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
        .optional("wafers", &GraphSpec::wafers, list_of(list_of(word(), 1, 65'536), 0, 1024),
                  "Names of the NPUs and switches of each wafer, if there are several, so that each may be "
                  "simulated by a process of its own; credits and news between them take a link's latency")
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

std::shared_ptr<const FabricGraph> GraphSpec::made(std::vector<FabricGraph::Link> list,
                                                   FabricGraph::Ways ways) const {
  const Numbers numbers = numbers_of(*this);
  std::vector<FabricGraph::Vertex> vertices;
  for (std::uint32_t npu = 0; npu < npus; ++npu) vertices.push_back({"npu" + std::to_string(npu), 0});
  for (const GraphSwitchSpec& each : switches) vertices.push_back({each.name, each.pipeline_ps});
  set_rings(*this, numbers, list);
  set_credits_between_wafers(wafer_of_vertices(*this, numbers), list);
  std::vector<std::vector<std::uint32_t>> given;
  for (const auto& names : routes) {
    given.emplace_back();
    for (const std::string& each : names) given.back().push_back(numbers.at(each));
  }
  return std::make_shared<const FabricGraph>(npus, std::move(vertices), std::move(list), shortest, given,
                                             ways);
}

std::vector<std::uint32_t> GraphSpec::wafer_of() const {
  return wafer_of_vertices(*this, wafers.empty() ? Numbers() : numbers_of(*this));
}

std::shared_ptr<const FabricGraph> GraphSpec::built() const {
  if (!built_) built_ = made(links_of(*this, numbers_of(*this)), FabricGraph::Ways::shortest);
  return built_;
}

std::shared_ptr<const FabricGraph> GraphSpec::built(const DefectsSpec& defects) const {
  std::vector<FabricGraph::Link> list = links_of(*this, numbers_of(*this));
  const std::vector<std::uint32_t> percent = percent_of_links(*this, list, defects);
  if (std::all_of(percent.begin(), percent.end(), [](std::uint32_t each) { return each == 100; }))
    return built();
  if (broken_ && broken_percent_ == percent) return broken_;
  for (std::size_t i = 0; i < list.size(); ++i) {
    list[i].dead = percent[i] == 0;
    if (!list[i].dead)
      list[i].bytes_per_s = std::max<std::uint64_t>(
          1, static_cast<std::uint64_t>(Uint128{list[i].bytes_per_s} * percent[i] / 100));
  }
  auto graph = made(list, FabricGraph::Ways::shortest);
  try {
    require_no_cycle(*graph);
  } catch (const std::invalid_argument&) {
    graph = made(list, FabricGraph::Ways::up_down);
  }
  broken_percent_ = percent;
  broken_ = graph;
  return graph;
}

}  // namespace config

namespace {

/// Those that do not work, and those without a link that does.
std::vector<NpuId> idle_npus(const config::FabricSpec& fabric) {
  const auto graph = fabric.as<config::GraphSpec>().built(fabric.defects);
  std::vector<NpuId> idle = fabric.defects.npus;
  if (!graph->has_dead_links()) return idle;
  const auto is_dead = [&](std::uint32_t link) { return graph->links()[link].dead; };
  for (std::uint32_t npu = 0; npu < graph->npus(); ++npu)
    for (const auto& links : {graph->out_of(npu), graph->into(npu)})
      if (std::all_of(links.begin(), links.end(), is_dead)) idle.push_back(static_cast<NpuId>(npu));
  std::sort(idle.begin(), idle.end());
  idle.erase(std::unique(idle.begin(), idle.end()), idle.end());
  return idle;
}

GraphParams params_of(const config::WaferSpec& wafer) {
  GraphParams params =
      graph_params(wafer.fabric, wafer.fabric.as<config::GraphSpec>().built(wafer.fabric.defects));
  params.failed_npus = idle_npus(wafer.fabric);
  params.wafer_of = wafer.fabric.as<config::GraphSpec>().wafer_of();
  return params;
}

/// Lines for `wafertlm check`.
std::string describe_graph_defects(const config::WaferSpec& wafer, const GraphParams& params) {
  const config::DefectsSpec& defects = wafer.fabric.defects;
  const FabricGraph& graph = *params.graph;
  if (params.failed_npus.empty() && !graph.has_dead_links()) return defects.describe_slow();
  const std::vector<Group> parts = connected_parts(
      graph.npus(), params.failed_npus, [&](NpuId from, NpuId to) { return graph.reaches(from, to); });
  std::string text = fmt::format("defects   {} NPUs, {} switches, {} links; {} of {} NPUs take part\n",
                                 defects.npus.size(), defects.switches.size(), defects.links.size(),
                                 parts.empty() ? 0 : parts.front().size(), graph.npus()) +
                     describe_cut_off(parts);
  const auto whole = wafer.fabric.as<config::GraphSpec>().built();
  RouteLengths lengths;
  for (const NpuId from : parts.empty() ? Group() : parts.front())
    for (const NpuId to : parts.front())
      if (from != to)
        lengths.add(graph.hops(from, to), whole->hops(from, to),
                    graph.route(from, to) != whole->route(from, to));
  if (lengths.pairs != 0) text += "detours   " + lengths.text("on the whole graph") + "\n";
  return text + defects.describe_slow();
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
    KnownDefects& known = abilities.defects;
    known.switches = known.links = known.slow_links = true;
    abilities.dma_engines = has_leaf(*fabric.as<config::GraphSpec>().built());
    abilities.dateline_channels = !fabric.as<config::GraphSpec>().rings.empty();
    return abilities;
  }
  void check_wafer(const config::WaferSpec& wafer, const config::Check& check) const override {
    FabricKind::check_wafer(wafer, check);
    config::check_graph_defects(wafer, check);
  }
  std::vector<NpuId> failed_npus(const config::FabricSpec& fabric) const override {
    return idle_npus(fabric);
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
  Wafers wafers(const config::WaferSpec& wafer) const override {
    const auto& graph = wafer.fabric.as<config::GraphSpec>();
    return config::wafers_of_graph(*graph.built(), graph.wafer_of());
  }
  FabricLinkRate fastest_link(const config::WaferSpec& wafer) const override {
    return wafertlm::fastest_link(*params_of(wafer).graph);
  }
  traffic::TrafficModel traffic(const config::WaferSpec& wafer) const override {
    return graph_traffic("graph " + wafer.fabric.as<config::GraphSpec>().name, params_of(wafer), grid(wafer));
  }
  std::string describe(const config::WaferSpec& wafer) const override {
    const GraphParams params = params_of(wafer);
    return describe_graph(wafer.fabric.as<config::GraphSpec>().name, params) +
           describe_graph_defects(wafer, params);
  }
};

}  // namespace

std::unique_ptr<const FabricKind> graph_kind() { return std::make_unique<GraphKind>(); }

}  // namespace wafertlm
