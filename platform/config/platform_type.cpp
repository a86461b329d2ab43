// SPDX-License-Identifier: Apache-2.0
#include "platform/config/platform_type.h"

#include "platform/config/compute_type.h"
#include "platform/config/value_types.h"

namespace wafertlm::config {

namespace {

std::shared_ptr<const Struct<WaferSpec>> wafer_type() {
  auto type = std::make_shared<Struct<WaferSpec>>("wafer");
  type->optional("topology", &WaferSpec::topology, choice<Topology>({{"mesh", Topology::mesh}}),
                 "How the routers are wired")
      .required("width", &WaferSpec::width, integer<std::uint32_t>(1, 256), "NPUs in a row")
      .required("height", &WaferSpec::height, integer<std::uint32_t>(1, 256), "NPUs in a column")
      .required("fabric", &WaferSpec::fabric, fabric_type(), "Links and routers")
      .check(check_wafer);
  return type;
}

std::shared_ptr<const Struct<HbmSpec>> hbm_type() {
  const auto bandwidth = whole_quantity(bandwidth_dimension(), "1 B/s", "9 PB/s");
  auto type = std::make_shared<Struct<HbmSpec>>("hbm");
  type->optional("read_bandwidth", &HbmSpec::read_bandwidth_bytes_per_s, bandwidth,
                 "Read bandwidth of one NPU's HBM")
      .optional("write_bandwidth", &HbmSpec::write_bandwidth_bytes_per_s, bandwidth,
                "Write bandwidth of one NPU's HBM, apart from reads")
      .optional("latency", &HbmSpec::latency_ps, whole_quantity(time_dimension(), "0 ps", "1 s"),
                "From a request to its first byte")
      .optional("capacity", &HbmSpec::capacity_bytes, whole_quantity(size_dimension(), "1 B", "1000 PB"),
                "Memory of one NPU")
      .optional("request_bytes", &HbmSpec::request_bytes, whole_quantity(size_dimension(), "1 B", "64 KiB"),
                "Largest memory transaction; longer accesses are cut");
  return type;
}

std::shared_ptr<const Struct<NpuSpec>> npu_type() {
  auto type = std::make_shared<Struct<NpuSpec>>("npu");
  type->optional("peak", &NpuSpec::peak_operations_per_s,
                 real_quantity(compute_rate_dimension(), "1 FLOPS", "1000000 EFLOPS"),
                 "Peak compute rate of one NPU")
      .optional("compute", &NpuSpec::compute, compute_type(), "How long an NPU computes")
      .optional("hbm", &NpuSpec::hbm, hbm_type(), "Memory of one NPU");
  return type;
}

std::shared_ptr<const Struct<CollectivesSpec>> collectives_type() {
  auto type = std::make_shared<Struct<CollectivesSpec>>("collectives");
  type->optional("algorithm", &CollectivesSpec::algorithm,
                 choice<CollectiveAlgorithm>({{"auto", CollectiveAlgorithm::automatic},
                                              {"ring", CollectiveAlgorithm::ring},
                                              {"bidirectional_ring", CollectiveAlgorithm::bidirectional_ring},
                                              {"direct", CollectiveAlgorithm::direct}}),
                 "How collectives are done; auto: chosen from the fabric")
      .optional("chunks", &CollectivesSpec::chunks, integer<std::uint32_t>(1, 1024),
                "Pieces of a collective that move through its phases one after the other");
  return type;
}

std::shared_ptr<const Struct<SequencerSpec>> sequencer_type() {
  auto type = std::make_shared<Struct<SequencerSpec>>("sequencer");
  type->optional("policy", &SequencerSpec::policy,
                 choice<IssuePolicy>({{"fifo", IssuePolicy::fifo},
                                      {"lifo", IssuePolicy::lifo},
                                      {"priority", IssuePolicy::priority}}),
                 "Which of the ready nodes a free resource takes; priority: the highest comm_priority")
      .optional("look_ahead", &SequencerSpec::look_ahead, integer<std::uint32_t>(1, 100'000'000),
                "Nodes of a rank that are held at a time; the trace is read on as they get done");
  return type;
}

std::shared_ptr<const Struct<RunSpec>> run_type() {
  auto type = std::make_shared<Struct<RunSpec>>("run");
  type->optional("checkers", &RunSpec::checkers, boolean(), "Protocol checkers on every socket")
      .optional("functional", &RunSpec::functional, boolean(), "Real values in the packets")
      .optional("seed", &RunSpec::seed, integer<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max()),
                "Start of every random sequence")
      .optional("watchdog", &RunSpec::watchdog_ps, whole_quantity(time_dimension(), "1 ps", "9000000 s"),
                "Simulated time after which a run is given up");
  return type;
}

}  // namespace

std::shared_ptr<const Struct<PlatformSpec>> platform_type() {
  static const auto type = [] {
    auto platform = std::make_shared<Struct<PlatformSpec>>("platform");
    platform->required("platform", &PlatformSpec::name, text(), "Name of the platform")
        .required("wafer", &PlatformSpec::wafer, wafer_type(), "The wafer and its fabric")
        .optional("npu", &PlatformSpec::npu, npu_type(), "One NPU; all are alike")
        .optional("collectives", &PlatformSpec::collectives, collectives_type(), "How collectives are done")
        .optional("sequencer", &PlatformSpec::sequencer, sequencer_type(), "How a rank walks its trace")
        .optional("run", &PlatformSpec::run, run_type(), "How the simulation runs");
    return platform;
  }();
  return type;
}

bool operator==(const PlatformSpec& a, const PlatformSpec& b) {
  return same_values(platform_type()->write(a), platform_type()->write(b)) && a.origins == b.origins;
}

}  // namespace wafertlm::config
