// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "workloads/training/plan.h"

namespace wafertlm::training {

Plan::Coordinates Plan::coordinates(std::uint32_t rank) const {
  const auto& [mp, dp, pp] = strategy_.degrees;
  return {rank % mp, rank / mp % pp, rank / (mp * pp)};
}

namespace {

template <typename Worker>
std::vector<std::uint32_t> members(std::uint32_t count, const Worker& worker) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t i = 0; i < count; ++i) ranks.push_back(worker(i));
  return ranks;
}

std::string join(const char* kind, std::initializer_list<std::uint32_t> numbers) {
  std::string name = kind;
  for (const std::uint32_t number : numbers) name += fmt::format(".{}", number);
  return name;
}

}  // namespace

std::string Plan::mp_group(std::uint32_t rank) const {
  const Coordinates at = coordinates(rank);
  return strategy_.degrees.mp == ranks() ? "" : join("mp", {at.pp, at.dp});
}

std::string Plan::dp_group(std::uint32_t rank) const {
  const Coordinates at = coordinates(rank);
  return strategy_.degrees.dp == ranks() ? "" : join("dp", {at.mp, at.pp});
}

std::string Plan::weights_group(std::uint32_t rank) const {
  return strategy_.weight_delivery == WeightDelivery::broadcast ? "" : dp_group(rank);
}

std::string Plan::ep_group(std::uint32_t rank) const {
  const Coordinates at = coordinates(rank);
  return strategy_.expert_parallel == ranks() ? ""
                                              : join("ep", {at.mp, at.pp, at.dp / strategy_.expert_parallel});
}

std::string Plan::expert_dp_group(std::uint32_t rank) const {
  const Coordinates at = coordinates(rank);
  return strategy_.expert_parallel == 1 ? dp_group(rank)
                                        : join("edp", {at.mp, at.pp, at.dp % strategy_.expert_parallel});
}

std::uint32_t Plan::copies(bool of_experts) const {
  return strategy_.degrees.dp / (of_experts ? strategy_.expert_parallel : 1);
}

std::string Plan::copies_group(std::uint32_t rank, bool of_experts) const {
  return of_experts ? expert_dp_group(rank) : dp_group(rank);
}

std::string Plan::multicast_group(std::uint32_t stage, std::uint32_t replica, bool is_forward) const {
  return join(is_forward ? "pp.forward" : "pp.backward", {stage, replica});
}

std::map<std::string, std::vector<std::uint32_t>> Plan::groups() const {
  const Parallelism& degrees = strategy_.degrees;
  const std::uint32_t ep = strategy_.expert_parallel;
  std::map<std::string, std::vector<std::uint32_t>> all;
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
    const Coordinates at = coordinates(rank);
    // Streams also come in for one rank.
    const bool has_input = strategy_.input == Input::streamed && at.pp == 0;
    const bool gets_share =
        strategy_.streams_weights() && strategy_.weight_delivery == WeightDelivery::needed;
    if (degrees.mp > 1 || has_input)
      all[mp_group(rank)] = members(degrees.mp, [&](auto i) { return degrees.worker(i, at.pp, at.dp); });
    if (degrees.dp > 1 || gets_share)
      all[dp_group(rank)] = members(degrees.dp, [&](auto i) { return degrees.worker(at.mp, at.pp, i); });
    if (ep > 1) {
      all[ep_group(rank)] =
          members(ep, [&](auto i) { return degrees.worker(at.mp, at.pp, at.dp / ep * ep + i); });
      if (degrees.dp > ep)
        all[expert_dp_group(rank)] = members(
            degrees.dp / ep, [&](auto i) { return degrees.worker(at.mp, at.pp, i * ep + at.dp % ep); });
    }
    if (degrees.pp == 1 || strategy_.stage_transfer == StageTransfer::peer || at.mp != 0) continue;
    for (const bool is_forward : {true, false}) {
      const std::uint32_t to = (at.pp + (is_forward ? 1 : degrees.pp - 1)) % degrees.pp;
      if (strategy_.chunks_per_stage == 1 && to != at.pp + (is_forward ? 1 : -1U)) continue;
      std::vector<std::uint32_t>& group = all[multicast_group(at.pp, at.dp, is_forward)];
      group = members(degrees.mp, [&](auto i) { return degrees.worker(i, to, at.dp); });
      group.insert(group.begin(), rank);
    }
  }
  all.erase("");
  return all;
}

}  // namespace wafertlm::training
