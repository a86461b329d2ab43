// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tlm/operation/protocol.h"

namespace wafertlm {

class OperationListener {
 public:
  /// The operation issued with `token` is done; its start_ps and end_ps are set. `data` is its buffer
  /// (functional mode). Both are gone after the call.
  virtual void operation_done(std::uint64_t token, const Operation& operation,
                              const std::vector<std::byte>& data) = 0;

 protected:
  ~OperationListener() = default;
};

/// The initiator's side of the operation protocol: payloads from a pool, any number outstanding.
class OperationPort : public sc_core::sc_module, private OperationBackwardIf {
 public:
  OperationInitiatorSocket socket{"socket"};

  OperationPort(const sc_core::sc_module_name& name, OperationListener& listener);

  /// Sends an operation to the NPU; `data`, if any, is what it works on.
  void issue(std::uint64_t token, const Operation& operation, std::vector<std::byte> data = {});
  std::size_t outstanding() const { return outstanding_; }

 private:
  struct Slot {
    ::tlm::tlm_generic_payload payload;
    Operation* operation;  // the payload's extension
    std::vector<std::byte> data;
    std::uint64_t token = 0;
  };
  ::tlm::tlm_sync_enum nb_transport_bw(::tlm::tlm_generic_payload&, ::tlm::tlm_phase&,
                                       sc_core::sc_time&) override;

  OperationListener& listener_;
  std::unordered_map<const ::tlm::tlm_generic_payload*, std::unique_ptr<Slot>> slots_;
  std::vector<Slot*> free_;
  std::size_t outstanding_ = 0;
};

}  // namespace wafertlm
