// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/scheduled/sends.h"

#include <algorithm>

#include "workloads/collectives/algorithm/blocks.h"

namespace wafertlm {

void sort_by_start(std::vector<PlannedSend>& sends) {
  std::stable_sort(sends.begin(), sends.end(),
                   [](const PlannedSend& a, const PlannedSend& b) { return a.start < b.start; });
}

LinkTimes link_times(const RankLinks& links, const FabricTraits& fabric, std::uint64_t bytes, bool reduces) {
  LinkTimes times;
  for (const RankLinks::Link& link : links.links) {
    times.slots.push_back(slot_ps(fabric, link, bytes, reduces));
    times.hops.push_back(hop_ps(fabric, link, bytes, reduces));
  }
  return times;
}

// A shorter block may consist of longer elements, and so be cut less evenly.
std::uint64_t PiecedVector::longest() const {
  return std::max(piece_bytes(0), piece_bytes((blocks - 1) * pieces));
}
std::uint64_t PiecedVector::piece_bytes(std::uint32_t piece) const {
  return Blocks(Blocks(bytes, blocks).bytes(piece / pieces), pieces).bytes(piece % pieces);
}
std::uint64_t PiecedVector::offset(std::uint32_t piece) const {
  const Blocks all(bytes, blocks);
  return all.offset(piece / pieces) + Blocks(all.bytes(piece / pieces), pieces).offset(piece % pieces);
}

TransferList exchange_list(const RankLinks& links, const PiecedVector& vector,
                           const std::vector<PlannedSend>& sends) {
  const Blocks blocks(vector.bytes, links.ranks);
  const std::uint64_t received = links.ranks * blocks.bytes(0), longest = vector.longest();
  TransferList list{links, {}, 0};
  list.transfers.reserve(sends.size());
  std::vector<std::uint32_t> last(std::size_t{links.ranks} * links.ranks * vector.pieces, Transfer::kNone);
  std::vector<std::uint64_t> relayed(links.ranks, 0);
  for (const PlannedSend& send : sends) {
    const std::uint32_t pair = send.piece / vector.pieces, number = send.piece % vector.pieces;
    const std::uint32_t from = pair / links.ranks, to = pair % links.ranks, next = links.links[send.link].to;
    const Blocks pieces(blocks.bytes(to), vector.pieces);
    if (pieces.bytes(number) == 0) continue;
    std::uint32_t& before = last[send.piece];
    Transfer transfer;
    transfer.link = send.link;
    transfer.sends_after = before;
    transfer.bytes = pieces.bytes(number);
    transfer.from_offset = before == Transfer::kNone ? blocks.offset(to) + pieces.offset(number)
                                                     : list.transfers[before].to_offset;
    transfer.to_offset = next == to ? vector.bytes + from * blocks.bytes(to) + pieces.offset(number)
                                    : vector.bytes + received + relayed[next]++ * longest;
    before = static_cast<std::uint32_t>(list.transfers.size());
    list.transfers.push_back(transfer);
  }
  list.scratch_bytes = *std::max_element(relayed.begin(), relayed.end()) * longest;
  return list;
}

void append_spread(TransferList& list, const PiecedVector& vector, const std::vector<PlannedSend>& sends,
                   bool reduces) {
  const std::size_t pieces = std::size_t{vector.blocks} * vector.pieces;
  // The transfer that brought the last of a piece, by rank and piece.
  std::vector<std::uint32_t> last(list.links.ranks * pieces, Transfer::kNone);
  const auto last_at = [&](std::uint32_t rank, std::size_t piece) -> std::uint32_t& {
    return last[rank * pieces + piece];
  };
  for (std::uint32_t number = 0; number < list.transfers.size(); ++number)
    last_at(list.links.links[list.transfers[number].link].to, list.transfers[number].piece) = number;
  for (const PlannedSend& send : sends) {
    const std::uint64_t bytes = vector.piece_bytes(send.piece);
    if (bytes == 0) continue;
    const RankLinks::Link& link = list.links.links[send.link];
    Transfer transfer;
    transfer.link = send.link;
    transfer.piece = send.piece;
    transfer.reduces = reduces;
    transfer.sends_after = last_at(link.from, send.piece);
    std::uint32_t& at_receiver = last_at(link.to, send.piece);
    transfer.received_after = at_receiver;
    transfer.from_offset = transfer.to_offset = vector.offset(send.piece);
    transfer.bytes = bytes;
    at_receiver = static_cast<std::uint32_t>(list.transfers.size());
    list.transfers.push_back(transfer);
  }
}

}  // namespace wafertlm
