// SPDX-License-Identifier: Apache-2.0
// Tables of HBM efficiency, as `wafertlm memory` and the key npu.hbm.efficiency read them.
#include "platform/config/npu_spec.h"
#include "tests/fuzz/config_file.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wafertlm;
  const std::string path = fuzz::write("efficiency.yaml", data, size);
  const auto table = fuzz::accepted([&] { return config::load_efficiency(path); });
  if (table) fuzz::accepted([&] { return config::efficiency_table(*table); });
  // The same file as part of a platform, which can write what it has read.
  const std::string platform =
      "platform: p\nwafer: {width: 2, height: 1, fabric: {link_bandwidth: 1 GB/s}}\nnpu:\n  hbm: "
      "{generation: " +
      (table ? table->generation : "hbm3") + ", efficiency: efficiency.yaml}\n";
  fuzz::loaded(config::load_platform, fuzz::write("platform.yaml", platform));
  return 0;
}
