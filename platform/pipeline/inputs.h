// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "workloads/pipelines/pipeline.h"

namespace wafertlm::pipelines {

/// A file with the top-level key `pipeline`.
struct PipelineSpec {
  std::string name, model;  ///< model: the name of a built-in chain; empty: `layers`
  std::vector<Layer> layers;
  std::vector<Place> places;

  Problem problem() const;
};

/// @throws config::ConfigError.
PipelineSpec load_pipeline(const std::string& path);

}  // namespace wafertlm::pipelines
