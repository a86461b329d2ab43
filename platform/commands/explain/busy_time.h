// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "waveforms/time_buckets.h"

namespace wafertlm {

/// Upper bound of the time that a link is busy between two moments: buckets count whole where they begin or
/// end within, but no more than the part of them that lies within.
TimePs busy_between(const TimeBuckets& buckets, std::size_t link, TimePs from, TimePs to);

}  // namespace wafertlm
