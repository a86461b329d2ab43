// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/commands/validate/training/layer_time.h"

namespace wafertlm::validate::steps {

/// Seconds of an iteration, and where they go.
struct Iteration {
  double time = 0;
  double busiest = 0;         ///< the work of the stage that has the most, with its exposed communication
  double exposed_data = 0;    ///< longer than with free data parallelism
  double exposed_layers = 0;  ///< of `busiest`: tensor, context and expert parallelism
};

/// One rank of each pipeline stage, for its peers are alike: the stages' passes in the framework's order, on
/// which inputs come from the stage before; gathers of parameters before first passes and reduce-scatters of
/// gradients behind last ones, in one stream beside computation; the optimizer.
Iteration iteration_of(const JobSetup& setup, double sustained);

}  // namespace wafertlm::validate::steps
