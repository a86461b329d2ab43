// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/json_instances.h"

template class nlohmann::basic_json<>;
template class nlohmann::basic_json<nlohmann::ordered_map>;
