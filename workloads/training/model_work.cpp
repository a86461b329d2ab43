// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/model_work.h"

namespace wafertlm::training {

double model_operations(const Plan& plan) {
  const Strategy& strategy = plan.strategy();
  double of_a_sample = 0;
  for (std::uint32_t stage = 0; stage < strategy.degrees.pp; ++stage)
    for (std::uint32_t chunk = 0; chunk < strategy.chunks_per_stage; ++chunk)
      for (const Piece& piece : plan.pieces(stage, chunk)) {
        const model::Layer& layer = *piece.layer;
        const auto operations = static_cast<double>(model::forward_operations(layer)) +
                                static_cast<double>(model::input_gradient_operations(layer)) +
                                static_cast<double>(model::weight_gradient_operations(layer));
        of_a_sample +=
            operations * static_cast<double>(piece.share.num) / static_cast<double>(piece.share.den);
      }
  return of_a_sample * static_cast<double>(strategy.minibatch);
}

}  // namespace wafertlm::training
