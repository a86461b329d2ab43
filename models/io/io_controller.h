// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>

#include "models/endpoint/endpoint_module.h"

namespace wafertlm {

struct IoControllerParams : EndpointModuleParams {
  NpuId id{};  ///< of the endpoint, after those of the NPUs
};

/// An I/O controller: what streams weights onto the wafer and gradients off it. An endpoint without compute
/// unit and memory: it takes part in collectives and sends and receives messages, any number at a time.
class IoController final : public EndpointModule {
 public:
  IoController(const sc_core::sc_module_name& name, const IoControllerParams& params,
               const ClassTable& classes, PacketPool& packets, MessagePool& messages, Scheduler& scheduler)
      : EndpointModule(name, params.id, params, classes, {packets, messages}, scheduler) {}

 private:
  /// @throws std::logic_error
  void execute(Operation&, std::uint64_t, TimePs) override {
    throw std::logic_error(std::string(name()) +
                           ": an I/O controller does not compute and has no memory of its own");
  }
};

}  // namespace wafertlm
