// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/search.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/cost.h"
#include "workloads/collectives/short_run.h"

namespace wafertlm {
namespace {

/// Times this close to the best one are no reason to prefer it.
constexpr std::uint64_t kTiePercent = 2;

struct Candidate {
  CollectiveRequest request;
  TimePs time;
  std::size_t place;  ///< in the order of preference
};

std::vector<Candidate> candidates_of(const std::vector<std::string>& names, const CollectiveRequest& request,
                                     const FabricTraits& fabric, bool all_chunks) {
  std::vector<Candidate> candidates;
  const TimePs bound = bound_ps(request, fabric);
  const auto add = [&](CollectiveRequest candidate) {
    const TimePs time = std::max(closed_form_ps(candidate, fabric), bound);
    candidates.push_back({std::move(candidate), time, candidates.size()});
  };
  for (const std::string& name : names) {
    const Algorithm::Use* use = algorithm_named(name).use_of(request.type);
    const bool open = request.chunks == 0 && use && use->chunks != Algorithm::Chunks::none;
    const CollectiveRequest by_default = with_algorithm(request, name, fabric);
    if (!all_chunks || !open || algorithm_named(name).best_chunks) {
      add(by_default);
      if (!all_chunks || !open) continue;
      CollectiveRequest other = by_default;
      for (const std::uint32_t chunks : {2 * by_default.chunks, by_default.chunks / 2})
        if ((other.chunks = chunks) != 0) add(other);
      continue;
    }
    CollectiveRequest chunked = by_default;
    for (chunked.chunks = 1; chunked.chunks <= kMaxSearchedChunks; chunked.chunks *= 2) add(chunked);
    if (by_default.chunks > kMaxSearchedChunks) add(by_default);
  }
  return candidates;
}

/// Of those within kTiePercent of the shortest the first in the order of preference.
const CollectiveRequest& shortest_of(const std::vector<Candidate>& candidates) {
  TimePs shortest = kNever;
  for (const Candidate& each : candidates) shortest = std::min(shortest, each.time);
  const Candidate* first = nullptr;
  for (const Candidate& each : candidates)
    if (each.time <= shortest + shortest / 100 * kTiePercent && (!first || each.place < first->place))
      first = &each;
  return first->request;
}

bool shorter(const Candidate& a, const Candidate& b) {
  return a.time != b.time ? a.time < b.time : a.place < b.place;
}

}  // namespace

CollectiveRequest with_algorithm(CollectiveRequest request, const std::string& name,
                                 const FabricTraits& fabric) {
  request.algorithm = name;
  if (request.chunks == 0) request.chunks = default_chunks(request, fabric);
  return request;
}

CollectiveRequest shortest_closed_form(const std::vector<std::string>& names,
                                       const CollectiveRequest& request, const FabricTraits& fabric) {
  return shortest_of(candidates_of(names, request, fabric, false));
}

CollectiveRequest search_fastest(const std::vector<std::string>& names, const CollectiveRequest& request,
                                 const FabricTraits& fabric, const SearchEffort& effort) {
  std::vector<Candidate> open = candidates_of(names, request, fabric, effort.all_chunks), predicted;
  std::sort(open.begin(), open.end(), shorter);
  TimePs shortest = kNever;
  std::set<std::string> looked_at;
  for (Candidate& each : open) {
    if (predicted.size() >= effort.predictions) break;
    // A closed form may be far too long: a thorough search looks at each algorithm once at least.
    const bool is_first = looked_at.insert(each.request.algorithm).second && effort.simulations != 0;
    if (each.time / effort.percent > shortest / 100 && !is_first) continue;
    if (is_too_long_to_predict(each.request, fabric)) {
      // Only the closed form is known: no reason for more chunks, and the worst that is looked for.
      if (effort.all_chunks && request.chunks == 0 && each.request.chunks > 1) continue;
      each.time = each.time / 100 * effort.percent;
    } else {
      each.time = predicted_ps(each.request, fabric);
    }
    shortest = std::min(shortest, each.time);
    predicted.push_back(std::move(each));
  }
  if (effort.simulations == 0) return shortest_of(predicted);
  std::sort(predicted.begin(), predicted.end(), shorter);
  predicted.resize(std::min(predicted.size(), effort.simulations));
  if (predicted.size() > 1)
    for (Candidate& each : predicted) each.time = simulated_ps(each.request, fabric);
  return std::min_element(predicted.begin(), predicted.end(), shorter)->request;
}

}  // namespace wafertlm
