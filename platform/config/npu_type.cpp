// SPDX-License-Identifier: Apache-2.0
#include "platform/config/descriptions.h"
#include "platform/config/npu_spec.h"
#include "platform/config/value_types.h"

namespace wafertlm::config {
namespace {

std::shared_ptr<const Struct<EndpointSpec>> endpoint_type() {
  auto type = std::make_shared<Struct<EndpointSpec>>("endpoint");
  type->optional("step_cost", &EndpointSpec::step_cost_ps, any_time(),
                 "Launch and DMA set-up before each message that is sent")
      .optional("receive_cost", &EndpointSpec::receive_cost_ps, any_time(),
                "From the end of each message that is received until its step is done")
      .optional("memory", &EndpointSpec::memory, one_of<EndpointMemory>({"free", "hbm"}),
                "hbm: what is sent is read from the HBM, what is received is written to it; free: neither")
      .optional("stage_cost", &EndpointSpec::stage_cost_ps, any_time(),
                "Before the first message of each stage of a collective that goes by dimensions")
      .optional(
          "reduction_bandwidth", &EndpointSpec::reduction_bytes_per_s,
          or_none<std::uint64_t>(any_bandwidth(), 0),
          "A reduction reads twice and writes once at this rate, when its message has arrived; left out: it "
          "takes no time");
  return type;
}

}  // namespace

EndpointParams endpoint_params(const NpuSpec& npu) {
  EndpointParams params = npu.endpoint;
  const MemoryRequesterParams& requests = npu.hbm.requests;
  if (npu.endpoint.memory == EndpointMemory::hbm)
    params.memory_traffic = {requests.request_bytes,
                             std::uint64_t{requests.request_bytes} * requests.outstanding};
  return params;
}

std::shared_ptr<const Struct<NpuSpec>> npu_type() {
  auto type = std::make_shared<Struct<NpuSpec>>("npu");
  type->optional("peak", &NpuSpec::peak_operations_per_s,
                 real_quantity(compute_rate_dimension(), "1 FLOPS", "1000000 EFLOPS"),
                 "Peak compute rate of one NPU")
      .optional("compute", &NpuSpec::compute, compute_type(), "How long an NPU computes")
      .optional("hbm", &NpuSpec::hbm, hbm_type(), "Memory of one NPU")
      .optional("endpoint", &NpuSpec::endpoint, endpoint_type(), "Sends, receives and runs collectives");
  return type;
}

}  // namespace wafertlm::config
