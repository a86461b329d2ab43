// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "platform/commands/pipeline/pipeline.h"

namespace wafertlm::pipelines {

/// Shisha's seed: every layer a stage, the lightest merged with its lighter neighbour until there is a place
/// for each, the heaviest on the fastest place and so on (by operations and speed; ties: the lowest index).
Schedule shisha_seed(const Problem& problem);

/// The seed, then on-line tuning: one layer passes from the slowest stage to its neighbour towards the
/// fastest-finishing stage; the best seen is kept; it ends after `patience` schedules without gain.
/// As understood from the abstract and the public text of arXiv 2202.11575: its code is not public.
Found shisha(const Problem& problem, std::size_t patience = 10);

/// Shisha, then at most twice its evaluations more. Neighbours of the best: orders of places with two
/// exchanged, one moved, left out or joined, each with the best cuts by StageTimes, and single layers that
/// leave the slowest stage. The most promising that was not measured is measured next. StageTimes is the
/// prediction and costs no evaluation; where it also is what is measured, the prediction is exact.
Found local_search(const Problem& problem, std::size_t patience = 10);

/// Random neighbours (a cut moved, two places exchanged, an idle place, a stage split or merged), taken if
/// faster, until `target` is reached or `most` evaluations are done; a new random start after 4 (L + P²)
/// neighbours without gain.
Found hill_climbing(const Problem& problem, std::uint64_t seed, double target, std::size_t most);

/// The same neighbours; slower ones are taken with exp(−relative loss / T), T from 0.3 by 0.995 each step.
Found annealing(const Problem& problem, std::uint64_t seed, double target, std::size_t most);

/// As understood from the abstract of Pipe-Search (Soomro et al., Computing Frontiers 2021): evolution from a
/// guided start. It begins with places in their order, each with its share of the operations by speed. Each
/// generation measures four neighbours of the best, of those whose slowest operations / speed is at most 1.1
/// times that of the best; the best child that is no slower is the next parent.
Found guided_evolution(const Problem& problem, std::uint64_t seed, double target, std::size_t most);

}  // namespace wafertlm::pipelines
