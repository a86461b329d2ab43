// SPDX-License-Identifier: Apache-2.0
// Tables of HBM efficiency, as `wafertlm model memory` and the key npu.hbm.efficiency read them.
#include "platform/spec/npu_spec.h"
#include "tests/fuzz/config_file.h"
#include "tests/fuzz/targets.h"

namespace wafertlm::fuzz {

void efficiency(const std::string& input) {
  const std::string path = write("efficiency.yaml", input);
  const auto table = accepted([&] { return config::load_efficiency(path); });
  if (table) accepted([&] { return config::efficiency_table(*table); });
  // The same file as part of a platform, which can write what it has read.
  const std::string platform =
      "platform: p\nwafer: {width: 2, height: 1, fabric: {link_bandwidth: 1 GB/s}}\nnpu:\n  hbm: "
      "{generation: " +
      (table ? table->generation : "hbm3") + ", efficiency: efficiency.yaml}\n";
  loaded(config::load_platform, write("platform.yaml", platform));
}

}  // namespace wafertlm::fuzz
