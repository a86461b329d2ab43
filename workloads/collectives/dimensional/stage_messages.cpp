// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/dimensional/stage_messages.h"

#include <algorithm>

#include "workloads/collectives/dimensional/binary_tree.h"

namespace wafertlm {

namespace {

using Kind = ChunkStage::Kind;

std::uint32_t messages_in_round(DimensionAlgorithm algorithm, std::uint32_t size) {
  switch (algorithm) {
    case DimensionAlgorithm::direct:
      return 2 * (size - 1);
    case DimensionAlgorithm::bidirectional_ring:
      return 4;
    case DimensionAlgorithm::double_binary_tree:
      return 6;
    case DimensionAlgorithm::automatic:
    case DimensionAlgorithm::ring:
    case DimensionAlgorithm::halving_doubling:
    case DimensionAlgorithm::recursive_halving_doubling:
      break;
  }
  return 2;
}

}  // namespace

StageMessages::StageMessages(const ChunkStage& stage, std::uint32_t ranks, std::uint32_t direct_window,
                             bool is_mirrored)
    : is(stage),
      size(ranks),
      window(ranks - 1),
      rounds((stage.kind == Kind::all_reduce ? 2 : 1) * rounds_one_way(stage, ranks)),
      in_round(messages_in_round(stage.algorithm, ranks)),
      mirrored(is_mirrored) {
  // All-to-all stores what comes where something waits to be sent: all of that is posted first.
  if (direct_window != 0 && is.kind != Kind::all_to_all) window = std::min(window, direct_window);
  if (is.algorithm == DimensionAlgorithm::double_binary_tree) rounds = 1;
}

/// Scatter, round r: what comes goes to the next one a round later, so that a rank's own block comes last.
/// Gather: the own block first. Backwards everything is mirrored.
StageMessage StageMessages::ring(std::uint32_t x, std::uint32_t index) const {
  const std::uint32_t p = size;
  const bool both = is.algorithm == DimensionAlgorithm::bidirectional_ring;
  const std::uint32_t messages = both ? 2 : 1;
  const std::uint32_t round = index / (2 * messages), within = index % (2 * messages);
  const bool gathers = is.kind == Kind::all_gather || (is.kind == Kind::all_reduce && round >= p - 1);
  const std::uint32_t r = round % (p - 1);
  StageMessage part;
  part.sends = within < messages;
  part.wait_all = within == 0;
  part.first_round = round == 0;
  part.halves = messages;
  part.half = within % messages;
  part.reduces = !gathers;
  part.tag = std::uint64_t{round} << 1 | part.half;
  const std::uint32_t behind = (gathers ? r : r + 1) + (part.sends ? 0 : 1);
  if (part.half == 0) {
    part.peer = part.sends ? (x + 1) % p : (x + p - 1) % p;
    part.first = (x + 2 * p - behind) % p;
  } else {
    part.peer = part.sends ? (x + p - 1) % p : (x + 1) % p;
    part.first = (x + behind) % p;
  }
  return part;
}

/// All-to-all as a ring, p (p − 1) / 2 rounds: for each distance d what is for the rank d further goes d
/// times to the next one. On its way it is where the own block for that rank was.
StageMessage StageMessages::passed(std::uint32_t x, std::uint32_t index) const {
  const std::uint32_t p = size, round = index / 2;
  std::uint32_t distance = 1, passed = round;  // rounds of this distance that are over
  while (passed >= distance) passed -= distance++;
  StageMessage part;
  part.sends = index % 2 == 0;
  part.wait_all = part.sends;
  part.first_round = round == 0;
  part.passes = !part.sends && passed + 1 < distance;
  part.tag = round;
  part.peer = part.sends ? (x + 1) % p : (x + p - 1) % p;
  part.first = (x + distance) % p;
  return part;
}

/// Halving: the half that the other one keeps; doubling, which is halving backwards: all that the sender has.
StageMessage StageMessages::halving(std::uint32_t x, std::uint32_t index) const {
  const std::uint32_t one_way = rounds_one_way(is, size), round = index / 2;
  const bool halves = is.kind != Kind::all_gather && round < one_way;
  const std::uint32_t k = halves ? round : one_way - 1 - round % one_way;
  const bool nearest = is.algorithm == DimensionAlgorithm::halving_doubling;
  const std::uint32_t distance = nearest ? 1U << k : size >> (k + 1);
  StageMessage part;
  part.count = size >> (k + 1);
  part.stride = nearest ? 2 * distance : 1;
  part.peer = x ^ distance;
  part.sends = index % 2 == 0;
  part.wait_all = part.sends;
  part.first_round = round == 0;
  part.reduces = halves;
  part.tag = round;
  const std::uint32_t whose = halves == part.sends ? part.peer : x;
  part.first = nearest ? whose & (part.stride - 1) : whose & ~(distance - 1);
  return part;
}

/// Who is next comes first, so that no two send to the same one at the same time.
StageMessage StageMessages::direct(std::uint32_t x, std::uint32_t index) const {
  const std::uint32_t p = size, peers = p - 1;
  const bool second = index >= 2 * peers;
  const std::uint32_t at = index % (2 * peers), start = at / (2 * window) * window;
  const std::uint32_t width = std::min(window, peers - start), within = at - 2 * start;
  StageMessage part;
  part.sends = within < width;
  part.wait_all = within == 0;
  part.first_round = at < width && !second;
  const std::uint32_t distance = start + within % width + 1;
  part.peer = part.sends ? (x + distance) % p : (x + p - distance) % p;
  part.tag = second ? 1 : 0;
  switch (is.kind) {
    case Kind::all_to_all:
      part.first = part.peer;
      break;
    case Kind::all_gather:
      part.first = part.sends ? x : part.peer;
      break;
    case Kind::reduce_scatter:
    case Kind::all_reduce:
      part.reduces = !second;
      // What the receiver reduces, or what the sender has.
      part.first = second == part.sends ? x : part.peer;
      break;
  }
  return part;
}

/// The whole chunk: from both children, to the parent, from the parent, to both children. Who has fewer
/// neighbours has empty messages in their place.
StageMessage StageMessages::tree(std::uint32_t x, std::uint32_t index) const {
  enum Turn : std::uint32_t { kFromChildren = 0, kToParent = 2, kFromParent = 3, kToChildren = 4 };
  const TreeNeighbours at = tree_neighbours(x, size, mirrored);
  const bool with_parent = index == kToParent || index == kFromParent;
  const std::uint32_t peer = with_parent ? at.parent : at.children[index % 2];
  StageMessage part;
  part.sends = index == kToParent || index >= kToChildren;
  part.wait_all = index == kToParent || index == kToChildren;
  part.reduces = index < kToParent;
  part.first_round = index == kToParent && at.is_leaf();
  part.tag = index > kToParent ? 1 : 0;
  part.count = peer == TreeNeighbours::kNone ? 0 : size;
  part.peer = peer == TreeNeighbours::kNone ? x : peer;
  return part;
}

StageMessage StageMessages::message(std::uint32_t own, std::uint32_t index) const {
  switch (is.algorithm) {
    case DimensionAlgorithm::direct:
      return direct(own, index);
    case DimensionAlgorithm::halving_doubling:
    case DimensionAlgorithm::recursive_halving_doubling:
      return halving(own, index);
    case DimensionAlgorithm::double_binary_tree:
      return tree(own, index);
    case DimensionAlgorithm::automatic:
    case DimensionAlgorithm::ring:
    case DimensionAlgorithm::bidirectional_ring:
      break;
  }
  return is_passed_on(is) ? passed(own, index) : ring(own, index);
}

bool StageMessages::waits(std::uint32_t own, std::uint32_t index) const {
  const bool by_round =
      is.algorithm != DimensionAlgorithm::direct && is.algorithm != DimensionAlgorithm::double_binary_tree;
  return by_round ? index % in_round == 0 : message(own, index).wait_all;
}

StageMessage StageMessages::charged_by_astra_sim(std::uint32_t own, std::uint32_t index) const {
  const StageMessage received = message(own, index);
  StageMessage nothing;
  nothing.count = 0;
  if (is.algorithm == DimensionAlgorithm::double_binary_tree)
    return received.reduces || !tree_neighbours(own, size, mirrored).is_leaf() ? received : nothing;
  if (!received.reduces || !is_halving(is.algorithm)) return received.reduces ? received : nothing;
  return index / 2 + 1 == rounds_one_way(is, size) ? nothing : message(own, index + 1);
}

}  // namespace wafertlm
