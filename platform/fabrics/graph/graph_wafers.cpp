// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/graph/graph_wafers.h"

#include <algorithm>

#include "platform/describe/struct_type.h"

namespace wafertlm::config {
namespace {

constexpr std::uint32_t kNoWafer = ~std::uint32_t{0};

}  // namespace

std::vector<std::uint32_t> wafer_of_vertices(const GraphSpec& graph,
                                             const std::map<std::string, std::uint32_t>& numbers) {
  if (graph.wafers.empty()) return {};
  std::vector<std::uint32_t> wafer_of(numbers.size(), kNoWafer);
  for (std::uint32_t wafer = 0; wafer < graph.wafers.size(); ++wafer)
    for (const std::string& name : graph.wafers[wafer]) wafer_of[numbers.at(name)] = wafer;
  return wafer_of;
}

void check_graph_wafers(const GraphSpec& graph, const std::map<std::string, std::uint32_t>& numbers,
                        const Check& check) {
  if (graph.wafers.empty()) return;
  std::vector<const void*> culprits{&graph.wafers, &graph.npus, &graph.switches};
  std::size_t listed = 0;
  for (const auto& wafer : graph.wafers) listed += wafer.size();
  const std::vector<std::uint32_t> wafer_of = wafer_of_vertices(graph, numbers);
  for (const auto& [name, number] : numbers)
    if (wafer_of[number] == kNoWafer)
      check.fail(culprits, "wafers do not say which one has {}; list all NPUs and switches", name);
  if (listed != numbers.size())
    check.fail(culprits, "wafers list {} names of {} NPUs and switches; list each once", listed,
               numbers.size());
  std::vector<std::uint32_t> links(graph.npus);
  const auto is_leaf = [&](const std::string& name) {
    return numbers.at(name) < graph.npus && links[numbers.at(name)] == 1;
  };
  for (const GraphLinkSpec& link : graph.links)
    for (const std::string& end : {link.from, link.to})
      if (numbers.at(end) < graph.npus) ++links[numbers.at(end)];
  for (const GraphLinkSpec& link : graph.links)
    if ((is_leaf(link.from) || is_leaf(link.to)) &&
        wafer_of[numbers.at(link.from)] != wafer_of[numbers.at(link.to)])
      check.fail({&graph.wafers, &link.from, &link.to},
                 "{} and {} are on two wafers, but an NPU with one link is where that leads", link.from,
                 link.to);
}

void set_credits_between_wafers(const std::vector<std::uint32_t>& wafer_of,
                                std::vector<FabricGraph::Link>& links) {
  if (wafer_of.empty()) return;
  for (FabricGraph::Link& link : links)
    if (wafer_of[link.from] != wafer_of[link.to]) link.credit_delay_ps = link.latency_ps;
}

Wafers wafers_of_graph(const FabricGraph& graph, const std::vector<std::uint32_t>& wafer_of) {
  Wafers wafers;
  if (wafer_of.empty()) return wafers;
  wafers.of_npu.assign(wafer_of.begin(), wafer_of.begin() + graph.npus());
  wafers.count = *std::max_element(wafer_of.begin(), wafer_of.end()) + 1;
  wafers.lookahead_ps = kNever;
  for (const FabricGraph::Link& link : graph.links())
    if (wafer_of[link.from] != wafer_of[link.to])
      wafers.lookahead_ps = std::min(wafers.lookahead_ps, link.latency_ps);
  return wafers;
}

}  // namespace wafertlm::config
