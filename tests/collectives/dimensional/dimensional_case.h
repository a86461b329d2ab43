// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/collectives/simulated.h"
#include "tests/support/groups.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::test {

/// A platform of dimensions, a packet per message: its `dimensions`, further keys of the fabric, of
/// npu.endpoint, of collectives.dimensions, and of run.
struct DimensionalCase {
  std::string dimensions;
  std::string fabric = "packet_bytes: 1 GiB";
  std::string endpoint;
  std::uint32_t chunks = 1;
  std::string by_dimension;
  std::string run;

  config::PlatformSpec spec() const {
    const TempFolder folder;
    return config::load_platform(
        folder.write(
            "platform.yaml",
            fmt::format("platform: test\nwafer:\n  fabric: {{kind: dimensional, dimensions: [{}], {}}}\n"
                        "npu: {{endpoint: {{{}}}}}\n"
                        "collectives: {{algorithm: dimensional, chunks: {}, dimensions: {{{}}}}}\n"
                        "run: {{{}}}\n",
                        dimensions, fabric, endpoint, chunks, by_dimension, run)),
        {});
  }
};

/// Of all NPUs.
inline nlohmann::json outcome_by_dimension(const DimensionalCase& what, CollectiveType type,
                                           std::uint64_t bytes) {
  const config::PlatformSpec spec = what.spec();
  return outcome(spec, {type, first_npus(spec.wafer.npu_count()), bytes, "dimensional", what.chunks, 0,
                        spec.run.data_type});
}

}  // namespace wafertlm::test
