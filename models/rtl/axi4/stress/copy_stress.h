// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/rtl/axi4/stress/memory_stress.h"

namespace wafertlm {

/// A copy that a DMA engine is told to make.
struct Axi4Copy {
  std::uint64_t source, destination, bytes;
};

/// Random copies by a master that is a DMA engine (models/npu/rtl/axi_dma.sv), from and to a memory that
/// answers late and out of order. After each one all that it may have touched is compared, byte by byte, and
/// its status. `transactions` of the options is the number of copies of a case; in the result they are
/// bursts.
/// @param twin as of stress_axi4_memory()
Axi4StressResult stress_axi4_copy(const RtlDesign& design, RtlModel& model, RtlModel* twin,
                                  const Axi4StressOptions& options, const Axi4Progress& progress = {});

}  // namespace wafertlm
