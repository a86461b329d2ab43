// SPDX-License-Identifier: Apache-2.0
#include "platform/run/collective_planner.h"

#include <algorithm>
#include <map>
#include <memory>

#include "platform/run/tuned_choice.h"
#include "platform/spec/ranges.h"
#include "workloads/collectives/custom/algorithm.h"

namespace wafertlm {
namespace {

/// The custom algorithms of a platform, by type.
std::map<CollectiveType, std::shared_ptr<const CustomTable>> custom_algorithms(
    const config::CustomAlgorithmsSpec& spec) {
  std::map<CollectiveType, std::shared_ptr<const CustomTable>> read;
  for (const CollectiveType type : kCollectiveTypes)
    if (!spec.of(type).empty()) read[type] = read_custom_algorithms(spec.of(type), type);
  return read;
}

/// The nearest size below with as many elements of 4 B in each chunk of each rank's block; one at least.
std::uint64_t in_equal_pieces(std::uint64_t bytes, std::uint64_t ranks, std::uint64_t chunks) {
  const std::uint64_t row = 4 * ranks * std::max<std::uint64_t>(chunks, 1);
  return bytes == 0 ? 0 : std::max(bytes / row * row, row);
}

}  // namespace

CollectivePlanner collective_planner(const Job& job, const config::ExperimentSpec& experiment) {
  return [&job, spec = experiment.platform.collectives, data_type = experiment.platform.run.data_type,
          custom = custom_algorithms(experiment.platform.collectives.custom),
          tuned = tuned_choice(experiment.platform.collectives)](
             CollectiveType type, const std::string& group, const std::vector<std::uint32_t>& ranks,
             std::uint64_t bytes) {
    CollectiveRequest request;
    const auto own = custom.find(type);
    if (own != custom.end()) request.custom = own->second;
    request.type = type;
    for (const std::uint32_t rank : ranks) request.group.push_back(job.npus[rank]);
    request.chunks = spec.requested_chunks();
    request.bytes = spec.equal_pieces ? in_equal_pieces(bytes, ranks.size(), request.chunks) : bytes;
    const bool is_partial = ranks.size() < job.size() && job.dimension_groups.count(group) == 0;
    request.algorithm = platform_algorithm(spec, type, is_partial);
    if (tuned && !request.custom && request.algorithm.empty())
      request.algorithm = tuned->algorithm(type, request.group, request.bytes);
    request.split_percent = spec.split_percent;
    request.data_type = data_type;
    return request;
  };
}

}  // namespace wafertlm
