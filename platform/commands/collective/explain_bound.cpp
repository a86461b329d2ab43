// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/collective/explain_bound.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "platform/describe/fields.h"
#include "platform/results/tight_json.h"
#include "platform/text/format.h"
#include "workloads/collectives/bounds/joint_cut.h"
#include "workloads/collectives/cost.h"

namespace wafertlm {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string why_not(const CollectiveRequest& request, const Topology& topology) {
  if (request.group.size() < 2 || request.bytes == 0) return "nothing has to cross a link";
  if (!bounds::has_tight_bound(request.type))
    return std::string("cuts of any shape are not searched for ") + to_string(request.type);
  return links_of(topology) == nullptr ? "this kind of fabric does not say its links one by one"
                                       : "no link bounds it";
}

/// The beginning of a list.
template <typename List, typename Text>
std::string beginning(const List& list, std::size_t most, const char* between, const Text& text_of) {
  std::string text;
  for (std::size_t k = 0; k < std::min(most, list.size()); ++k)
    text += (k == 0 ? "" : between) + text_of(list[k]);
  return list.size() <= most
             ? text
             : text + fmt::format("{}… {} more (--json has all)", between, list.size() - most);
}

std::string words(const OrderedJson& names) {
  return beginning(names, 24, " ", [](const OrderedJson& name) { return name.get<std::string>(); });
}

std::string bytes_text(const OrderedJson& bytes) {
  return bytes.is_number_integer() ? format_bytes(bytes.get<std::uint64_t>())
                                   : fmt::format("{:.4g} B", bytes.get<double>());
}

OrderedJson with_lengths(const OrderedJson& links, const OrderedJson& lengths) {
  OrderedJson both = OrderedJson::array();
  for (std::size_t k = 0; k < links.size(); ++k)
    both.push_back(fmt::format("{} ({})", links[k].get<std::string>(), lengths[k].get<std::uint64_t>()));
  return both;
}

std::string tight_text(const OrderedJson& tight, TimePs bound_ps) {
  const auto time = tight["time_ps"].get<TimePs>();
  const OrderedJson& parts = tight["parts"];
  const OrderedJson& links = tight["links"];
  const std::string kind = tight["kind"];
  std::string text =
      fmt::format("  {}: {} over {} links of {} together take {}; at most {} of the vector\n",
                  kind == "partition" ? fmt::format("partition into {} parts", parts.size()) : kind,
                  bytes_text(tight["crossing_bytes"]), links.size(),
                  format_bandwidth(tight["links_bytes_per_s"].get<double>()), format_time(time),
                  format_bandwidth(tight["rate_bytes_per_s"].get<double>()));
  if (kind == "cut")
    text += fmt::format("    from: {}\n    to:   {}\n", words(parts[0]), words(parts[1]));
  else if (kind == "partition")
    text += fmt::format("    parts: {}\n", beginning(parts, 8, " | ", words));
  else
    text +=
        "    Each byte counts as often as its shortest way is long, each link as often as it is long "
        "(maximum concurrent flow).\n";
  if (!tight["relays"].empty()) text += fmt::format("    in no part: {}\n", words(tight["relays"]));
  if (kind == "lengths")
    text += fmt::format("    links: {}\n", words(with_lengths(links, tight["lengths"])));
  else
    text += fmt::format("    links: {}\n", words(links));
  if (bound_ps > time)
    text += fmt::format("  The other {} are latency, or what an NPU's port adds to it.\n",
                        format_time(bound_ps - time));
  return text;
}

std::vector<CollectiveRequest> requests_of_all(const CollectiveSetup& setup, std::uint64_t bytes) {
  std::vector<CollectiveRequest> requests;
  for (const CollectiveLane& lane : setup.lanes())
    for (const Group& group : lane.groups) {
      requests.push_back(setup.first_request());
      requests.back().group = group;
      requests.back().bytes = bytes;
    }
  return requests;
}

}  // namespace

OrderedJson explained_bounds(const CollectiveSetup& setup, const std::vector<std::uint64_t>& sizes,
                             const FabricTraits& fabric) {
  if (setup.streams())
    throw std::invalid_argument(
        "--explain-bound: a stream over the I/O controllers is no collective of a group; leave it out");
  CollectiveRequest request = setup.first_request();
  std::size_t groups = 0;
  for (const CollectiveLane& lane : setup.lanes()) groups += lane.groups.size();
  OrderedJson explained = {{"type", to_string(request.type)},
                           {"group_size", request.group.size()},
                           {"groups", groups},
                           {"rows", OrderedJson::array()}};
  for (const std::uint64_t bytes : sizes) {
    request.bytes = bytes;
    const auto tight = bounds::tight_bound(request, fabric);
    // Beside results large groups go without cuts of any shape.
    const TimePs bound = std::max(bound_ps(request, fabric), tight ? tight->time_ps : 0);
    OrderedJson row = {{"bytes", bytes}, {"bound_ps", bound}};
    row["tight"] = tight ? tight_json(*tight, bytes) : OrderedJson();
    if (!tight) row["why"] = why_not(request, *fabric.topology);
    if (groups > 1) {
      const std::vector<CollectiveRequest> together = requests_of_all(setup, bytes);
      const auto joint = joint_cut(together, fabric);
      row["joint_bound_ps"] = joint_bound_ps(together, fabric);
      row["joint"] = joint ? tight_json(*joint, bytes) : OrderedJson();
    }
    explained["rows"].push_back(std::move(row));
  }
  return explained;
}

OrderedJson explained_bounds_schema() {
  namespace schema = results::schema;
  const OrderedJson certificate =
      schema::or_null(schema::object({{"kind", schema::text()},
                                      {"parts", schema::list(schema::list(schema::text()))},
                                      {"relays", schema::list(schema::text())},
                                      {"links", schema::list(schema::text())},
                                      {"lengths", schema::list(schema::number())},
                                      {"links_bytes_per_s", schema::number()},
                                      {"crossing_bytes", schema::number()},
                                      {"rate_bytes_per_s", schema::number()},
                                      {"time_ps", schema::count()}}),
                      "null: none");
  const OrderedJson row = schema::object({{"bytes", schema::count()},
                                          {"bound_ps", schema::count()},
                                          {"tight", certificate},
                                          {"why", schema::text("There is no certificate")},
                                          {"joint_bound_ps", schema::count("Of all groups together")},
                                          {"joint", certificate}},
                                         nullptr, {"why", "joint_bound_ps", "joint"});
  return schema::object({{"type", schema::text()},
                         {"group_size", schema::positive()},
                         {"groups", schema::positive()},
                         {"rows", schema::list(row)}});
}

std::string bounds_text(const OrderedJson& explained) {
  const auto groups = explained["groups"].get<std::size_t>();
  std::string text = fmt::format("{} of {} NPUs{}\n", explained["type"].get<std::string>(),
                                 explained["group_size"].get<std::size_t>(),
                                 groups == 1 ? "" : fmt::format(", the first of {} groups, alone", groups));
  for (const OrderedJson& row : explained["rows"]) {
    const auto bound = row["bound_ps"].get<TimePs>();
    text +=
        fmt::format("{}: bound {}\n", format_bytes(row["bytes"].get<std::uint64_t>()), format_time(bound));
    text += row["tight"].is_null() ? fmt::format("  Ports, latencies and the fabric's own cuts: {}.\n",
                                                 row["why"].get<std::string>())
                                   : tight_text(row["tight"], bound);
    if (!row.contains("joint")) continue;
    const auto joint_bound = row["joint_bound_ps"].get<TimePs>();
    text += fmt::format("All {} groups at once: bound {}\n", groups, format_time(joint_bound));
    if (!row["joint"].is_null()) text += tight_text(row["joint"], joint_bound);
  }
  return text;
}

}  // namespace wafertlm
