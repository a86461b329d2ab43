// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/partition/chain.h"
#include "platform/commands/partition/generated.h"
#include "platform/commands/partition/npz.h"
#include "platform/spec/platform_spec.h"
#include "workloads/parallelism/placement.h"

namespace wafertlm::config {
struct FileKind;
}

namespace wafertlm::partition {

struct LayerSpec {
  std::string name;
  std::vector<std::vector<double>> weights;  ///< a row for each output
};

enum class Pass : std::uint8_t { inference, training };

/// A file with the top-level key `partition`.
struct PartitionSpec {
  std::string name;
  std::string weights;              ///< path of an archive; empty: generated, or layers
  std::vector<std::string> arrays;  ///< of it; none: all matrices
  Rows rows = Rows::outputs;
  std::optional<Generated> generate;
  std::vector<LayerSpec> layers;
  std::uint32_t workers = 2;
  double lambda = 0;
  std::vector<double> mu;
  std::uint64_t seed = 1;     ///< of the random order
  std::string platform_file;  ///< empty: nothing is simulated
  std::optional<config::PlatformSpec> platform;
  std::vector<std::uint32_t> npus;  ///< of the workers; none: the first ones
  Pass pass = Pass::inference;
  std::uint64_t batch = 1, bytes_per_value = 2;
  double speed = 0;                 ///< operations per second of a worker
  double energy_per_operation = 0;  ///< in joules

  Chain chain;  ///< as read, valid for the workers

  Placement placement() const;
};

/// `overrides`: of the platform. @throws config::ConfigError, std::invalid_argument.
PartitionSpec load_partition(const std::string& path, const std::vector<std::string>& overrides = {});
/// The row of such files.
config::FileKind partition_file_kind();

}  // namespace wafertlm::partition
