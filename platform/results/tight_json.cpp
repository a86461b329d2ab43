// SPDX-License-Identifier: Apache-2.0
#include "platform/results/tight_json.h"

namespace wafertlm {
namespace {

const char* kind_name(bounds::TightSets::Kind kind) {
  switch (kind) {
    case bounds::TightSets::Kind::partition:
      return "partition";
    case bounds::TightSets::Kind::cut:
      return "cut";
    case bounds::TightSets::Kind::lengths:
      break;
  }
  return "lengths";
}

/// Exact, if JSON has such integers.
nlohmann::ordered_json json_number(Uint128 number) {
  if (number <= ~std::uint64_t{0}) return static_cast<std::uint64_t>(number);
  return static_cast<double>(number);
}

}  // namespace

nlohmann::ordered_json tight_json(const bounds::TightBound& tight, std::uint64_t bytes) {
  const LinkGraph& graph = *tight.graph;
  std::vector<std::vector<std::string>> parts(tight.sets->parts);
  std::vector<std::string> relays;
  for (std::size_t vertex = 0; vertex < tight.sets->part_of.size(); ++vertex) {
    const std::uint32_t part = tight.sets->part_of[vertex];
    (part == bounds::TightSets::kRelay ? relays : parts[part]).push_back(graph.vertices[vertex]);
  }
  std::vector<std::string> links;
  for (const std::size_t link : tight.sets->links) links.push_back(graph.link_name(link));
  return {{"kind", kind_name(tight.sets->kind)},
          {"parts", std::move(parts)},
          {"relays", std::move(relays)},
          {"links", std::move(links)},
          {"lengths", tight.sets->lengths},
          {"links_bytes_per_s", json_number(tight.sets->bytes_per_s)},
          {"crossing_bytes", json_number(tight.bytes)},
          {"rate_bytes_per_s", static_cast<double>(bytes) * static_cast<double>(tight.sets->bytes_per_s) /
                                   static_cast<double>(tight.bytes)},
          {"time_ps", tight.time_ps}};
}

}  // namespace wafertlm
