// SPDX-License-Identifier: Apache-2.0
// The row matched.
#include <algorithm>
#include <tuple>

#include "workloads/collectives/algorithm/algorithm_parts.h"
#include "workloads/collectives/algorithm/algorithm_rows.h"
#include "workloads/collectives/scheduled/doubling.h"
#include "workloads/collectives/scheduled/matching.h"

namespace wafertlm {
namespace {

using Type = CollectiveType;

constexpr std::uint32_t kMostMatchedRanks = 256;
constexpr std::uint32_t kMostMatchedPieces = 64;
/// Messages of a plan: large vectors have other algorithms.
constexpr std::uint64_t kMostMatchedMessages = 100'000;

/// By piece the rank that has it first, or last.
std::vector<std::uint32_t> owners_of(const CollectiveRequest& request, const PiecedVector& vector) {
  std::vector<std::uint32_t> owners;
  for (std::uint32_t piece = 0; piece < vector.blocks * vector.pieces; ++piece)
    owners.push_back(has_root(request.type) ? request.root : piece / vector.pieces);
  return owners;
}

TransferList matched_transfers(const CollectiveRequest& request, const PiecedVector& vector,
                               const RankLinks& links, const LinkTimes& copies, const LinkTimes& sums) {
  if (request.type == Type::all_to_all)
    return exchange_list(links, vector, match_exchange(links, copies, vector.pieces));
  TransferList list{links, {}, 0};
  const std::vector<std::uint32_t> owners = owners_of(request, vector);
  if (request.type == Type::all_reduce || request.type == Type::reduce_scatter ||
      request.type == Type::reduce)
    append_spread(list, vector, backwards(match_spread(turned(links), sums, owners), sums), true);
  if (request.type == Type::all_reduce || request.type == Type::all_gather || request.type == Type::broadcast)
    append_spread(list, vector, match_spread(links, copies, owners), false);
  return list;
}

using MatchedKey = std::tuple<Type, Group, std::uint32_t, std::uint64_t, std::uint32_t, LinkTimes, LinkTimes>;
struct MatchedLists : Kept<MatchedKey, TransferList> {
  MatchedLists() : Kept(8) {}
};

std::shared_ptr<const TransferList> matched_list(const CollectiveRequest& request,
                                                 const FabricTraits& fabric) {
  const std::shared_ptr<const RankLinks> links = rank_links(request.group, fabric);
  const PiecedVector vector{request.bytes, has_root(request.type) ? 1 : ranks_of(request), request.chunks};
  const LinkTimes copies = link_times(*links, fabric, vector.longest(), false),
                  sums = link_times(*links, fabric, vector.longest(), true);
  return fabric.plans->of<MatchedLists>().get(
      {request.type, request.group, request.root, request.bytes, request.chunks, copies, sums},
      [&] { return matched_transfers(request, vector, *links, copies, sums); });
}

/// Of all pieces, each over one link after the other; of an all-to-all taken as three.
std::uint64_t messages_of(const CollectiveRequest& request, std::uint32_t chunks) {
  const std::uint64_t ranks = request.group.size();
  if (has_root(request.type)) return (ranks - 1) * chunks;
  return ranks * ranks * chunks *
         (request.type == Type::all_to_all   ? 3
          : request.type == Type::all_reduce ? 2
                                             : 1);
}

}  // namespace

bool has_matched_links(const Group& group, const FabricTraits& fabric) {
  return group.size() <= kMostMatchedRanks && rank_links(group, fabric) != nullptr;
}

Algorithm::Programs matched_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
  return transfer_programs(matched_list(request, fabric));
}

TimePs matched_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const auto list = matched_list(request, fabric);
  return std::max(transfers_ps(*list, fabric), busiest_memory_ps(*list, fabric));
}

std::uint64_t matched_scratch_bytes(const CollectiveRequest& request, const FabricTraits& fabric) {
  return request.type == Type::all_to_all ? matched_list(request, fabric)->scratch_bytes : 0;
}

/// Pieces of 64 B or more; small ones fill pipelines sooner, also within a packet.
std::uint32_t matched_chunks(const CollectiveRequest& request, const FabricTraits& fabric) {
  constexpr std::uint64_t kLeastBytes = 64;
  const std::uint64_t block = has_root(request.type) ? request.bytes : request.bytes / request.group.size();
  CollectiveRequest trial = request;
  return doubled_while_it_gains(std::min({std::uint64_t{kMostMatchedPieces}, block / kLeastBytes,
                                          kMostMatchedMessages / messages_of(request, 1)}),
                                [&](std::uint32_t chunks) {
                                  trial.chunks = chunks;
                                  return matched_ps(trial, fabric);
                                });
}

}  // namespace wafertlm
