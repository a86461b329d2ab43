// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "workloads/collectives/dimensional/stages.h"

namespace wafertlm {

/// A message of a rank in a stage. It carries the blocks whose coordinate on the stage's axis is first, first
/// + stride … (count of them; 0: there is no message), or a half of each.
struct StageMessage {
  std::uint32_t peer = 0;  ///< coordinate on the axis
  std::uint32_t first = 0, stride = 1, count = 1;
  std::uint32_t halves = 1, half = 0;
  std::uint64_t tag = 0;
  bool sends = false, reduces = false;
  bool wait_all = false;     ///< goes when all in front of it have been received
  bool first_round = false;  ///< pays the cost of the stage
  bool passes = false;       ///< all-to-all: what is received goes on in the next round
};

/// What the ranks of an axis send and receive in a stage, round by round.
struct StageMessages {
  /// `direct_window`: HierarchyOptions; `mirrored`: the second of two trees.
  StageMessages(const ChunkStage& is, std::uint32_t size, std::uint32_t direct_window, bool mirrored);

  /// Of a rank, sent and received.
  std::uint32_t messages() const { return rounds * in_round; }
  /// Number `index` of the rank with this coordinate.
  StageMessage message(std::uint32_t own, std::uint32_t index) const;
  /// StageMessage::wait_all
  bool waits(std::uint32_t own, std::uint32_t index) const;
  /// Whose bytes a receive pays for as if it reduced them (HierarchyOptions::Reductions::astra_sim).
  StageMessage charged_by_astra_sim(std::uint32_t own, std::uint32_t index) const;

  ChunkStage is;
  std::uint32_t size, window;      ///< ranks; peers of direct at a time
  std::uint32_t rounds, in_round;  ///< messages, sent and received
  bool mirrored;

 private:
  StageMessage ring(std::uint32_t x, std::uint32_t index) const;
  StageMessage passed(std::uint32_t x, std::uint32_t index) const;
  StageMessage halving(std::uint32_t x, std::uint32_t index) const;
  StageMessage direct(std::uint32_t x, std::uint32_t index) const;
  StageMessage tree(std::uint32_t x, std::uint32_t index) const;
};

}  // namespace wafertlm
