// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <tlm>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/program/matrix_product.h"
#include "tlm/program/program.h"

namespace wafertlm {

/// What an NPU is asked to do; travels as an extension of a generic payload over an operation socket.
struct Operation : ::tlm::tlm_extension<Operation> {
  enum class Kind { compute, collective, send, receive, memory_load, memory_store };

  Kind kind = Kind::compute;
  ClassId traffic_class{};
  // compute
  TimePs duration_ps = 0;
  bool on_cpu = false;  ///< on the host CPU of the NPU, else on its compute unit
  /// Of several units beside each other (threads, streams) which one; each is serial.
  std::uint32_t unit = 0;
  /// Arithmetic; with `bytes` and `products` it replaces a duration where the NPU computes its own.
  std::uint64_t operations = 0;
  std::vector<MatrixProduct> products;  ///< that the operations are; empty: none, or not known
  // collective: `program` for our NPUs; a third party's may use only its type, group and bytes
  std::uint64_t collective_id = 0;  ///< the same at all ranks, > 0
  std::uint32_t rank = 0;           ///< position in the group
  std::shared_ptr<const CollectiveProgram> program;
  // send, receive, memory
  NpuId peer{};
  std::uint64_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
  // Filled in by the NPU before BEGIN_RESP.
  TimePs start_ps = 0;  ///< resources were granted
  TimePs end_ps = 0;

  ::tlm::tlm_extension_base* clone() const override { return new Operation(*this); }
  void copy_from(const ::tlm::tlm_extension_base& other) override {
    *this = static_cast<const Operation&>(other);
  }
};

}  // namespace wafertlm
