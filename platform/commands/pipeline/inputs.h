// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/pipeline/pipeline.h"
#include "platform/spec/platform_spec.h"
#include "workloads/parallelism/placement.h"

namespace wafertlm::config {
struct FileKind;
}

namespace wafertlm::pipelines {

struct PlaceSpec : Place {
  std::optional<std::uint32_t> npu;  ///< of the platform; none: places take the NPUs in their order
};

/// NPUs that are alike.
struct KindSpec {
  std::string name;
  double speed = 1, bandwidth = 0;
};

/// A file with the top-level key `pipeline`.
struct PipelineSpec {
  std::string name, model, model_file;  ///< a built-in chain, or the path of a model; empty: `layers`
  std::vector<Layer> layers;
  std::vector<PlaceSpec> places;
  std::vector<KindSpec> kinds;                ///< with map, in place of places
  std::vector<std::vector<std::string>> map;  ///< a kind for each NPU of the wafer, row by row; or kNoStage
  std::string platform_file;                  ///< empty: nothing is simulated
  std::optional<config::PlatformSpec> platform;

  static constexpr const char* kNoStage = "none";

  /// With the rate of the platform's links in its places.
  Problem problem() const;
  /// Of each place, with a platform.
  Placement npus() const;
  /// Of each place of a map; else empty.
  std::vector<std::string> kind_names() const;
};

/// `overrides`: of the platform. @throws config::ConfigError.
PipelineSpec load_pipeline(const std::string& path, const std::vector<std::string>& overrides = {});
/// The row of such files.
config::FileKind pipeline_file_kind();

}  // namespace wafertlm::pipelines
