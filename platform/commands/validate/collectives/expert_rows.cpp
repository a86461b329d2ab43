// SPDX-License-Identifier: Apache-2.0
// Rows of expert parallelism (DeepEP): dispatch sends every token to the GPUs of its experts, combine brings
// their results back.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "platform/commands/validate/collectives/cluster.h"
#include "platform/commands/validate/row_kind.h"
#include "platform/commands/validate/row_text.h"

namespace wafertlm::validate {
namespace {

struct Tokens {
  double tokens = 0, hidden = 0, experts = 0,
         nodes = 0;  ///< of a rank; values; of a token; that it may go to
};

Tokens tokens_of(const ValidationRow& row) {
  const auto number = [&](const char* pattern, double otherwise) {
    std::smatch match;
    return std::regex_search(row.size, match, std::regex(pattern, std::regex::icase)) ? std::stod(match[1])
                                                                                      : otherwise;
  };
  return {number(R"((\d+)\s*tokens)", 0), number(R"((?:hidden|,)\s*(\d{3,6})\b)", 7168),
          number(R"(top-?(\d+))", 8), number(R"(top-?(\d+)\s*(?:groups|nodes))", 0)};
}

bool takes_experts(const ValidationRow& row) {
  return says(row.operation, R"(\b(EP|expert)\b.*\b(dispatch|combine)|\b(dispatch|combine)\b)") &&
         says(row.size, "token");
}

std::string group_of_experts(const ValidationRow&) { return "expert parallelism"; }

void check_experts(const ValidationRow& row) {
  if (!time_unit(row.unit) && !rate_unit(row.unit) && !is_part(row.unit))
    throw bad_row(row, fmt::format("'{}' is no unit of an exchange of tokens: us, ms, GB/s", row.unit));
}

/// FP8 with a scale of 4 B for each 128 values, or BF16.
double bytes_of_value(const ValidationRow& row) {
  return says(row.operation, "FP8") && !says(row.operation, "combine") ? 1 + 4. / 128 : 2;
}

/// Rates count what is on the slowest link, with the part of tokens that stays in the own server.
Answer rate_answer(const ValidationRow& row, const Cluster& cluster, const Servers& servers) {
  Answer answer;
  const bool inside = servers.servers == 1;
  const double rate = static_cast<double>(inside ? servers.server_bytes_per_s : servers.network_bytes_per_s);
  answer.simulated = rate / *rate_unit(row.unit);
  answer.how =
      fmt::format("{}, rate of the {}", cluster.name, inside ? "server's links" : "network interfaces");
  return answer;
}

Answer answer_experts(const ValidationRow& row) {
  if (is_part(row.unit)) throw CannotSay("a part, of what is not said");
  const Cluster cluster = cluster_of(row);
  CollectiveRequest request;
  request.type = CollectiveType::all_to_all;
  for (std::uint32_t n = 0; n < cluster.ranks; ++n) request.group.push_back(NpuId{n});
  const auto servers = servers_of(request.group, platform_traits(cluster.spec));
  if (!servers) throw CannotSay("the preset has no servers of equally many GPUs");
  if (rate_unit(row.unit)) return rate_answer(row, cluster, *servers);
  const Tokens tokens = tokens_of(row);
  if (tokens.tokens == 0) throw CannotSay("the size says no number of tokens");
  // Every token goes once to each of its experts' GPUs, which are spread evenly.
  const double bytes = tokens.tokens * tokens.experts * tokens.hidden * bytes_of_value(row);
  request.bytes = static_cast<std::uint64_t>(std::ceil(bytes / 4 / cluster.ranks)) * 4 * cluster.ranks;
  request.algorithm = "direct";
  const CollectiveResult result =
      run_collective(cluster.spec, request, cluster.spec.wafer.fabric.classes.front().name);
  Answer said;
  said.simulated = seconds(result.time_ps) / *time_unit(row.unit);
  said.closed_form = bytes /
                     static_cast<double>(servers->servers == 1 ? servers->server_bytes_per_s
                                                               : servers->network_bytes_per_s) /
                     *time_unit(row.unit);
  said.how = fmt::format("{}, direct all-to-all of {}", cluster.name, format_bytes(request.bytes));
  said.calibrated_by = cluster.calibrated_by;
  return said;
}

}  // namespace

RowKind expert_rows() { return {"expert", takes_experts, group_of_experts, check_experts, answer_experts}; }

}  // namespace wafertlm::validate
