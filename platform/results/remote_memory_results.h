// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>

#include "platform/system/remote_pool.h"
#include "tlm/units.h"

namespace wafertlm {

/// `remote_memory` of results.json: what the pool's servers did, and the engines in front of it if there are
/// any. Of the platform's own pool.
nlohmann::ordered_json remote_memory_json(const RemotePool& remote, TimePs end_ps);
nlohmann::ordered_json remote_memory_schema();

}  // namespace wafertlm
