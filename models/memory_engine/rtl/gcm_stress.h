// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/rtl/axi4/stress/memory_stress.h"

namespace wafertlm {

/// Random pages, keys and contexts sealed by a cipher in RTL (axi_gcm.sv) and by the PageSealer of the memory
/// engine's model, and opened again, right and tampered with. `transactions` of the options is the number of
/// pages of a case, and so it is in the result; `beats` are bytes.
/// @param twin is not used
Axi4StressResult stress_gcm(const RtlDesign& design, RtlModel& model, RtlModel* twin,
                            const Axi4StressOptions& options, const Axi4Progress& progress = {});

}  // namespace wafertlm
