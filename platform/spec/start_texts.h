// SPDX-License-Identifier: Apache-2.0
// What `wafertlm new` writes; {name} is put in.
#pragma once

namespace wafertlm::config {

constexpr const char* kPlatformStart =
    R"(# A wafer: a mesh of NPUs with a link to each neighbour. `wafertlm check FILE` checks it, `wafertlm check
# --resolved FILE` prints every value with its origin, `wafertlm schema` has all keys with their limits.
# For a value with its origin write {{value: 750 GB/s, provenance: "data sheet"}}.
platform: {name}
wafer:
  width: 4                        # NPUs in a row
  height: 4                       # rows
  fabric:
    link_bandwidth: 750 GB/s      # per link and direction
    link_latency: 20 ns
    router_pipeline: 0 ns
    credit_delay: 20 ns           # from a freed buffer to the sender
    injection_bandwidth: 3 TB/s   # from an NPU into its router
    injection_latency: 0 ns
    ejection_bandwidth: 3 TB/s
    ejection_latency: 0 ns
    packet_bytes: 4 KiB           # larger packets simulate faster; look at the difference
    header_bytes: 0 B
    flit_bytes: 0 B               # 0: packets are not rounded to flits
    virtual_channels: 4
    input_queue: per_output
    input_buffer: auto            # enough for a round trip
    classes:                      # traffic classes on virtual channels; the higher priority goes first
      - {{name: mp, vc: 0, priority: 3}}
      - {{name: pp, vc: 1, priority: 2}}
      - {{name: dp, vc: 2, priority: 1}}
      - {{name: input, vc: 3, priority: 0}}
      - {{name: control, vc: 3, priority: 0}}
npu:
  peak: 1000 TFLOPS
  hbm:
    read_bandwidth: 3 TB/s
    write_bandwidth: 3 TB/s
    latency: 100 ns
    capacity: 80 GB
    request_bytes: 64 KiB
  injection:
    order: message                # a DMA engine finishes a message, as AMD's AXI DMA does a descriptor (PG021)
collectives:
  algorithm: fastest              # of all that fit; `wafertlm collective` times them
)";

constexpr const char* kWorkloadStart =
    R"(# What to train. This one is a table of layers, data parallel; others: `model` with `parallelism`
# (configs/workloads/transformer_17b.yaml), `chakra` for traces. `wafertlm workload show FILE` adds it up.
workload: {name}
layers: resnet50
data_parallel: 16                 # NPUs, a replica each
batch_per_npu: 32                 # samples
bytes_per_element: 2              # of a gradient
bucket_bytes: 25 MiB              # gradients that are reduced together
effective_rate: 400 TFLOPS        # what a layer reaches of the NPU's peak
overlap: true                     # reduce while the backward pass goes on
)";

constexpr const char* kExperimentStart =
    R"(# A platform and a workload. `wafertlm run FILE` simulates it; any key can be changed: --set iterations=1.
experiment: {name}
platform: wafer_mesh_5x4          # a preset (`wafertlm presets platforms`), or your own: NAME.yaml
workload: resnet50_dp20           # a preset, or your own: `wafertlm new workload NAME` writes NAME.yaml
iterations: 2                     # the last one is explained
)";

}  // namespace wafertlm::config
