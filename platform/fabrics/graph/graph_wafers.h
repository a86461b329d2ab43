// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platform/fabrics/graph/graph_kind.h"

namespace wafertlm::config {

/// By vertex the wafer that GraphSpec::wafers has it on; empty: it says nothing. @param numbers vertices by
/// name
std::vector<std::uint32_t> wafer_of_vertices(const GraphSpec& graph,
                                             const std::map<std::string, std::uint32_t>& numbers);
/// Every NPU and switch is on one wafer, with its only link if it has one.
void check_graph_wafers(const GraphSpec& graph, const std::map<std::string, std::uint32_t>& numbers,
                        const Check& check);
/// Room behind a link between wafers is known at its beginning as late as a packet would tell it.
void set_credits_between_wafers(const std::vector<std::uint32_t>& wafer_of,
                                std::vector<FabricGraph::Link>& links);
Wafers wafers_of_graph(const FabricGraph& graph, const std::vector<std::uint32_t>& wafer_of);

}  // namespace wafertlm::config
