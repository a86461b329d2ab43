// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/rtl/axi4/master.h"
#include "models/rtl/axi4/port.h"

namespace wafertlm {

/// The cipher of a memory engine in RTL (axi_gcm.sv), behind its AXI4 port: AES-256-GCM over pages. No
/// SystemC.
class GcmRtl {
 public:
  using Bytes = std::vector<std::uint8_t>;
  using Tag = std::array<std::uint8_t, 16>;
  struct Page {
    Bytes bytes;
    Tag tag;
    bool is_right;         ///< of an opened one: the tag is the expected one
    std::uint64_t cycles;  ///< from the first address on the bus to the last byte, with the keys
  };
  static constexpr std::size_t kMostData = 64;  ///< bytes that are authenticated and not sent

  /// Both must outlive it; modules can be evaluated when seal() or open() is called.
  GcmRtl(const RtlDesign& design, RtlModel& model);

  /// `key` has 32 bytes, `iv` 12, `also` at most kMostData. @throws std::invalid_argument otherwise;
  /// std::runtime_error: the RTL does not answer.
  Page seal(const Bytes& key, const Bytes& iv, const Bytes& also, const Bytes& plain);
  Page open(const Bytes& key, const Bytes& iv, const Bytes& also, const Bytes& sealed, const Tag& tag);

  /// The first broken rule of AXI4.
  const std::optional<Axi4Violation>& violation() const { return violation_; }
  std::uint64_t cycles() const { return bench_.cycles(); }

 private:
  enum class Command : std::uint8_t { begin = 1, seal = 2, open = 3, end = 4 };

  Page run(Command what, const Bytes& key, const Bytes& iv, const Bytes& also, const Bytes& page,
           const Tag& tag);
  void put(std::uint64_t address, const Bytes& bytes);
  Bytes get(std::uint64_t address, std::uint64_t bytes);
  void command(Command which, std::uint32_t bytes, std::size_t also);
  void finish();

  const Axi4Shape shape_;
  std::optional<Axi4Violation> violation_;
  Axi4Bench bench_;
  std::optional<Axi4Transaction> over_;
  Axi4Master master_;
  bool is_reset_ = false;
};

}  // namespace wafertlm
