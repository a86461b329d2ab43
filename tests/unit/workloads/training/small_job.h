// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/models/transformer.h"
#include "workloads/training/strategy.h"

namespace wafertlm::training {

inline model::TransformerSpec small_transformer() {
  model::TransformerSpec spec;
  spec.name = "small";
  spec.layers = 8;
  spec.hidden = 256;
  spec.heads = 8;
  spec.sequence = 128;
  spec.vocabulary = 1024;
  return spec;
}

/// Microbatches of 2 samples.
inline Strategy strategy(std::uint32_t mp, std::uint32_t dp, std::uint32_t pp) {
  Strategy s;
  s.degrees.mp = mp;
  s.degrees.dp = dp;
  s.degrees.pp = pp;
  s.minibatch = std::uint64_t{8} * dp;
  s.microbatches = 4;
  s.effective_rate = 1'000'000'000'000;
  return s;
}

}  // namespace wafertlm::training
