// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "platform/describe/value_types.h"
#include "workloads/collectives/tuning_table.h"

namespace wafertlm::config {
struct FileKind;
}

namespace wafertlm {

/// A file with the top-level key `tuning_table`. @throws config::ConfigError with the place.
backends::TuningTable load_tuning_table(const std::string& path);
/// The row of such files.
config::FileKind tuning_table_file_kind();

/// Its text; reading it gives an equal table.
std::string tuning_table_yaml(const std::string& name, const std::string& platform,
                              const backends::TuningTable& table);

/// A type of collective by its name.
config::TypePtr<CollectiveType> collective_type_type();

}  // namespace wafertlm
