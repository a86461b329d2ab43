// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>

#include "platform/describe/table.h"
#include "platform/results/parts.h"
#include "tlm/kernel/units.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {

/// Null: the bound is 0.
nlohmann::json ratio(TimePs time, TimePs to);

/// Of --choices.
Table<PlannerChoice> choices_table();

/// Of the rows of what was run, which come one at a time.
Table<nlohmann::json> rows_table(bool streams, bool lanes);

/// Of the table, of --choices and of --explain-bound.
results::Json collective_schema();

}  // namespace wafertlm
