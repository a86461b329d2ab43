// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <tlm>

namespace wafertlm {

/// An extension that a memory may ignore: the load or store that a request is a part of.
struct MemoryAccess : ::tlm::tlm_extension<MemoryAccess> {
  std::uint64_t number = 0;  ///< of the initiator's accesses
  std::uint64_t bytes = 0;   ///< of the whole access

  ::tlm::tlm_extension_base* clone() const override { return new MemoryAccess(*this); }
  void copy_from(const ::tlm::tlm_extension_base& other) override {
    *this = static_cast<const MemoryAccess&>(other);
  }
};

}  // namespace wafertlm
