// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace wafertlm::test {

/// Two NPUs; a product of 10^9 operations and an all-reduce of 2 MB: at 1 TFLOPS and 100 GB/s 1 ms of compute
/// (with the two gradients 3 ms) and 20 us of communication.
inline const std::string kSmallExperiment =
    "experiment: small\n"
    "platform: {platform: two, wafer: {width: 2, height: 1, fabric: {link_bandwidth: 100 GB/s, packet_bytes: "
    "64 KiB, injection_bandwidth: 100 GB/s, ejection_bandwidth: 100 GB/s}}}\n"
    "workload:\n"
    "  model: {model: one, layers: [{name: a, parameters: 1000000, forward_operations: 1000000000}]}\n"
    "  parallelism: DP(2)\n"
    "  samples_per_replica: 1\n"
    "  optimizer_operations_per_parameter: 0\n"
    "  effective_flops: 1 TFLOPS\n"
    "  overlap_dp: false\n";

}  // namespace wafertlm::test
