// SPDX-License-Identifier: Apache-2.0
#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/algorithm_rows.h"
#include "workloads/collectives/gpu_library/servers.h"

namespace wafertlm {

const char* to_string(GpuProtocol protocol) {
  constexpr const char* kNames[] = {"ll", "ll128", "simple"};
  return kNames[static_cast<std::size_t>(protocol)];
}

bool has_servers(const Group& group, const FabricTraits& fabric) {
  return fabric.library.is_given() && servers_of(group, fabric).has_value();
}

namespace {
bool reduces(const Group& group, const FabricTraits& fabric, bool one) {
  const auto servers = servers_of(group, fabric);
  return servers && fabric.library.nvls && servers->flow_bytes_per_s != 0 && (servers->servers == 1) == one &&
         servers->gpus > 1;
}
}  // namespace

bool has_reducing_server(const Group& group, const FabricTraits& fabric) {
  return reduces(group, fabric, true);
}
bool has_reducing_servers(const Group& group, const FabricTraits& fabric) {
  return reduces(group, fabric, false);
}

}  // namespace wafertlm
