// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/fabrics/fabric_results.h"

namespace wafertlm {

/// `ethernet` in results.json: what switches marked, lost, trimmed and paused, and what that cost senders.
const FabricResults& ethernet_results();

}  // namespace wafertlm
