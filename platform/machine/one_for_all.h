// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "platform/host/interrupt.h"
#include "tlm/kernel/simulation_context.h"
#include "tlm/shape/equal_places.h"

namespace wafertlm {

/// What `run()` gives, which simulates one NPU in place of all: in a kernel of its own, so that all may be
/// simulated afterwards. None: all have to be, because of `why`.
template <typename Run>
auto run_one_for_all(const Run& run, std::string& why) -> std::optional<decltype(run())> {
  try {
    const SimulationContext context;
    return run();
  } catch (const Interrupted&) {
    throw;
  } catch (const PlacesDiffer& error) {
    why = error.what();
  } catch (const std::runtime_error&) {
    why = "the run failed";  // all of them tell better why
  }
  return std::nullopt;
}

}  // namespace wafertlm
