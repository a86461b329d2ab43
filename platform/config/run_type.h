// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "platform/config/run_spec.h"
#include "platform/config/struct_type.h"
#include "workloads/sequencer/task.h"

namespace wafertlm::config {

std::shared_ptr<const Struct<SequencerParams>> sequencer_type();
std::shared_ptr<const Struct<RunSpec>> run_type();

}  // namespace wafertlm::config
