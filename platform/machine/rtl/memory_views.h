// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "platform/spec/npu_spec.h"

namespace wafertlm {

class Hbm;

/// The RTL of memory controllers, as npu.hbm.rtl asks for it.
class MemoryViews {
 public:
  /// Takes its place at the memories, by NPU, which must outlive it as `spec` must.
  /// @throws std::invalid_argument: an NPU or a design that is not there, or a design that does not fit.
  MemoryViews(const config::HbmSpec& spec, const std::vector<std::unique_ptr<Hbm>>& memories);
  ~MemoryViews();

  bool empty() const { return views_.empty(); }
  /// After the run: the RTL ends what is left.
  void finish();
  /// A row for each memory.
  nlohmann::ordered_json json() const;
  /// The same for the terminal.
  std::string text() const;
  double host_s() const;  ///< processor time that the RTL cost
  /// @throws RtlDiffers that names what differs first.
  void require_equal() const;

 private:
  struct View;
  void add(const config::HbmRtlSpec& spec, Hbm& memory);

  const config::HbmSpec& spec_;
  std::vector<std::unique_ptr<View>> views_;
};

/// The JSON Schema of an entry of MemoryViews::json().
nlohmann::ordered_json memory_view_schema();

}  // namespace wafertlm
