// SPDX-License-Identifier: Apache-2.0
// Rows of collectives: nccl-tests and its like.
#include <fmt/core.h>

#include <utility>
#include <vector>

#include "platform/commands/validate/collectives/cluster.h"
#include "platform/commands/validate/row_kind.h"
#include "platform/commands/validate/row_text.h"
#include "workloads/collectives/planner.h"

namespace wafertlm::validate {
namespace {

const std::vector<std::pair<const char*, CollectiveType>>& types() {
  static const std::vector<std::pair<const char*, CollectiveType>> list = {
      {R"(\ball[-_ ]?reduce)", CollectiveType::all_reduce},
      {R"(\ball[-_ ]?gather)", CollectiveType::all_gather},
      {R"(\breduce[-_ ]?scatter)", CollectiveType::reduce_scatter},
      {R"(\ball[-_ ]?to[-_ ]?all)", CollectiveType::all_to_all},
      {R"(\bbroadcast)", CollectiveType::broadcast}};
  return list;
}

std::optional<CollectiveType> type_of(const ValidationRow& row) {
  for (const auto& [pattern, type] : types())
    if (says(row.operation, pattern)) return type;
  return std::nullopt;
}

bool takes(const ValidationRow& row) { return type_of(row) && bytes_of(row.size); }

/// By size and place, as hardware.md groups them.
std::string group(const ValidationRow& row) {
  const std::uint64_t bytes = *bytes_of(row.size), gib = std::uint64_t{1} << 30U;
  const std::uint32_t ranks = leading_count(row.ranks).value_or(0);
  if (bytes < gib >> 10U) return "collectives below 1 MiB";
  if (says(row.system + row.topology, "NVL72")) return ranks <= 72 ? "a rack of 72" : "several racks";
  if (ranks > 8) return "several servers";
  return bytes >= 8 * gib ? "one server, 8 GiB and more"
         : bytes >= gib   ? "one server, 1 to 8 GiB"
                          : "one server, 1 MiB to 1 GiB";
}

void check(const ValidationRow& row) {
  if (!time_unit(row.unit) && !rate_unit(row.unit) && !is_part(row.unit))
    throw bad_row(
        row, fmt::format("'{}' is no unit of a collective: us, ms, s, GB/s busbw, GB/s algbw", row.unit));
}

/// What the row has the library do; empty: its own choice.
std::string forced(const ValidationRow& row, const GpuLibrary& library, std::uint64_t bytes,
                   const Servers& servers, CollectiveType type) {
  if (says(row.operation, "default|tuned|auto")) return "";
  const bool without = says(row.operation, R"(\b(no|without)\s+nvls|nvls\s*(off|disabled|=\s*0))");
  const char* const name = without                            ? ""
                           : says(row.operation, "nvls")      ? "nvls"
                           : says(row.operation, R"(\bring)") ? "ring"
                           : says(row.operation, R"(\btree)") ? "tree"
                                                              : "";
  if (*name == 0 && !without) return "";
  for (const GpuChoice& choice : gpu_choices(type, bytes, library, servers))
    if (choice.name().rfind(name, 0) == 0 && !(without && choice.name().rfind("nvls", 0) == 0))
      return choice.name();
  throw CannotSay(fmt::format("the library has no {} here", name));
}

/// By rates alone: intercept + steps + bytes over the link, the best of ring and in-switch reduction.
double closed_form_s(CollectiveType type, double bytes, const Servers& servers, double intercept_s) {
  const double n = servers.ranks(), inside = static_cast<double>(servers.server_bytes_per_s);
  const double network = static_cast<double>(servers.network_bytes_per_s) * servers.gpus;
  const double rate = servers.servers > 1 ? std::min(inside, network) : inside;
  const double steps = type == CollectiveType::all_reduce ? 2 * (n - 1) : n - 1;
  double best = bytes * steps / n / rate;
  if (servers.flow_bytes_per_s != 0 && servers.servers == 1 && type == CollectiveType::all_reduce)
    best = std::min(best, bytes * (1 + 1 / n) / static_cast<double>(servers.flow_bytes_per_s));
  return intercept_s + best;
}

Answer answer(const ValidationRow& row) {
  if (is_part(row.unit)) throw CannotSay("a part, of what is not said");
  const CollectiveType type = *type_of(row);
  const std::uint64_t bytes = *bytes_of(row.size);
  const Cluster cluster = cluster_of(row);
  CollectiveRequest request;
  request.type = type;
  request.bytes = bytes;
  constexpr std::uint64_t kSmall = std::uint64_t{64} << 20U;
  request.chunks = cluster.pipelines || bytes >= kSmall ? 0 : 1;
  for (std::uint32_t n = 0; n < cluster.ranks; ++n) request.group.push_back(NpuId{n});
  const FabricTraits fabric = platform_traits(cluster.spec);
  const auto servers = servers_of(request.group, fabric);  // none on a torus
  if (servers) request.algorithm = forced(row, fabric.library, bytes, *servers, type);
  if (request.algorithm.empty()) request.algorithm = platform_algorithm(cluster.spec.collectives, type);
  const CollectiveRequest settled_request = settled(request, fabric);
  const CollectiveResult result =
      run_collective(cluster.spec, request, cluster.spec.wafer.fabric.classes.front().name);
  const auto in_unit = [&](double time) {
    if (const auto unit = time_unit(row.unit)) return time / *unit;
    const double rate = static_cast<double>(bytes) / time / *rate_unit(row.unit);
    return says(row.unit, "alg") ? rate : rate * bus_factor(type, request.group.size());
  };
  Answer said;
  said.simulated = in_unit(seconds(result.time_ps));
  if (servers)
    said.closed_form = in_unit(closed_form_s(type, static_cast<double>(bytes), *servers,
                                             seconds(cluster.spec.npu.endpoint.launch_cost_ps)));
  said.how = fmt::format("{}, {}", cluster.name, settled_request.algorithm);
  said.calibrated_by = cluster.calibrated_by;
  return said;
}

}  // namespace

RowKind collective_rows() { return {"collective", takes, group, check, answer}; }

}  // namespace wafertlm::validate
