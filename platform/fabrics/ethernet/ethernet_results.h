// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "platform/spec/fabric_results.h"

namespace wafertlm {

class EthernetFabric;

/// `ethernet` in results.json: what messages took, what switches marked, lost, trimmed and paused, and what
/// that cost senders.
const FabricResults& ethernet_results();

/// The lines of the printed table, from `ethernet` in results.json.
std::string ethernet_text(const FabricResults::Json& of);

/// Whose pauses fell into exposed time: "65 % of the exposed time …". Empty: nothing was paused then.
std::string pause_culprits(const EthernetFabric& fabric, const ExposedTime& exposed);

}  // namespace wafertlm
