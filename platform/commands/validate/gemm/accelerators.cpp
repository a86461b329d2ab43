// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/gemm/accelerators.h"

#include <fmt/format.h>

#include "platform/commands/validate/row_text.h"
#include "platform/describe/preset_files.h"
#include "platform/host/presets.h"
#include "platform/spec/load.h"

namespace wafertlm::validate {
namespace {

constexpr Accelerator kAccelerators[] = {
    {R"(\bGB300)", "gb300", 0},
    {R"(\bGB200)", "gb200", 0},
    {R"(\b(H?GX[ -]?)?B300)", "b300", 6},
    {R"(\b(DGX[ -]?)?B[12]00)", "b200", 5},
    {R"(\bGH200|\bH200)", "h200", 5},
    {R"(\bH100|\bH800)", "h100", 5},
    {R"(\bH20\b)", "h20", 5},
    {R"(\bA100|\bA800)", "a100", 4},
    {R"(\bV100)", "v100", 3},
    {R"(\bMI300)", "mi300x", 5},
    {R"(\bMI325)", "mi325x", 5},
    {R"(\bMI35[05])", "mi355x", 5},
    {R"(\bTPU[ -]?v?7x?\b|ironwood)", "tpu_v7x", 5, 2},
    {R"(\bv6e|trillium)", "tpu_v6e", 4},
    {R"(\bv5p)", "tpu_v5p", 4},
    {R"(\bv5[ -]?(e|lite))", "tpu_v5e", 4},
    {R"(\bTPU[ -]?v4)", "tpu_v4", 3},
    {R"(trainium[ -]?2|\btrn2)", "trainium2", 5},
    {R"(gaudi[ -]?3)", "gaudi3", 5},
    {R"(gaudi[ -]?2)", "gaudi2", 4},
    {R"(blackhole|\bp1[05]0)", "blackhole", 5},
    {R"(wormhole|\bn[13][05]0)", "wormhole", 4},
};

}  // namespace

const Accelerator* accelerator_of(const ValidationRow& row) {
  for (const std::string* const text : {&row.system, &row.topology})
    for (const Accelerator& each : kAccelerators)
      if (says(*text, each.pattern)) return &each;
  return nullptr;
}

const Accelerator& known_accelerator(const ValidationRow& row) {
  if (const Accelerator* const found = accelerator_of(row)) return *found;
  throw CannotSay(fmt::format("no preset of configs/accelerators is of '{}'", row.system));
}

config::NpuSpec npu_of(const Accelerator& accelerator) {
  return config::load_npu((required_configs_folder({"accelerators"}) / "accelerators" /
                           (std::string(accelerator.preset) + ".yaml"))
                              .string());
}

}  // namespace wafertlm::validate
