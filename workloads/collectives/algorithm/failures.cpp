// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/algorithm/failures.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tlm/shape/fabric_traits.h"
#include "tlm/shape/link_graph.h"
#include "workloads/collectives/algorithm/program_steps.h"

namespace wafertlm {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;  // ranks

/// Who sends to whom.
std::set<Pair> pairs_of(const Algorithm::Programs& programs) {
  std::set<Pair> pairs;
  for_steps(programs, [&](std::uint32_t rank, std::uint32_t, const Step& step) {
    if (step.kind == Step::Kind::send) pairs.emplace(rank, step.peer);
  });
  return pairs;
}

bool has_failures(const KnowsLinks& links, const Topology& topology) {
  for (std::size_t link = 0; link < topology.links(); ++link)
    if (links.has_failed(link)) return true;
  return false;
}

}  // namespace

std::vector<std::string> avoid_failures(std::vector<std::string> names, const CollectiveRequest& request,
                                        const FabricTraits& fabric) {
  const Topology& topology = *fabric.topology;
  const KnowsLinks* const links = links_of(topology);
  if (links == nullptr || !has_failures(*links, topology)) return names;
  const auto crosses_failures = [&](const std::string& name) {
    CollectiveRequest trial = request;
    trial.algorithm = name;
    trial.chunks = 1;
    for (const auto& [from, to] : pairs_of(algorithm_named(name).programs(trial, fabric))) {
      std::vector<std::size_t> route = topology.route(trial.group[from], trial.group[to]);
      topology.append_route(trial.group[to], trial.group[from], route);
      for (const std::size_t link : route)
        if (links->has_failed(link)) return true;
    }
    return false;
  };
  names.erase(std::remove_if(names.begin(), names.end(), crosses_failures), names.end());
  return names;
}

}  // namespace wafertlm
