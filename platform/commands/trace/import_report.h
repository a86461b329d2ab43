// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "workloads/pytorch/job_import.h"

namespace wafertlm {

/// What was imported: a table for people.
std::string import_text(const pytorch::ImportedJob& job);
/// The same and more: what was linked by which rule, every communication with the parts of uneven
/// all-to-alls.
std::string import_json(const pytorch::ImportedJob& job);
/// A Chrome trace: of each rank the measured timeline, and when the imported graph has each item run.
std::string import_timeline(const pytorch::ImportedJob& job);

}  // namespace wafertlm
