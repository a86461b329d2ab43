// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/wafer_training/kernel_step.h"

#include <filesystem>
#include <stdexcept>

#include "platform/commands/model/cores/grid_runs.h"
#include "platform/host/presets.h"

namespace wafertlm::validate::wafers {

std::optional<double> kernel_step_s(const StreamedStep& step, const StreamedTime& time) {
  const auto file = required_configs_folder({"cores"}) / "cores" / (step.platform + ".yaml");
  if (!step.changes.empty() || !std::filesystem::exists(file)) return std::nullopt;
  const cores::DecoderShape shape{static_cast<std::uint32_t>(step.model.layers), step.model.hidden,
                                  step.model.mlp_hidden, step.model.vocabulary, step.model.gated};
  const auto waits = time.breakdown.find("weights");
  try {
    const double sample_s =
        core_runs::training_time(shape, step.sequence, config::load_cores(file.string())).sample_s;
    return static_cast<double>(step.samples_of_wafer()) * sample_s +
           (waits == time.breakdown.end() ? 0 : waits->second);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

}  // namespace wafertlm::validate::wafers
