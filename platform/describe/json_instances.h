// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>

// Compiled once (json_instances.cpp), not again in each file: part of what is precompiled for this folder.
extern template class nlohmann::basic_json<>;
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
