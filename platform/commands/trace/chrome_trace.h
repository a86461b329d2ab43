// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// Writes a trace in Chrome's JSON form, as Kineto does: ui.perfetto.dev, chrome://tracing and Holistic Trace
/// Analysis read it. One event a line, as they come; memory does not grow.
class ChromeTrace {
 public:
  using Json = nlohmann::ordered_json;

  /// `header`: what stands before the events ({"distributedInfo": …}). The stream outlives it.
  ChromeTrace(std::ostream& to, const Json& header);
  /// The end of the file; before that it is none.
  void finish();

  void name_process(std::uint64_t process, const std::string& name);
  void name_thread(std::uint64_t process, std::uint64_t thread, const std::string& name);
  /// Picoseconds; the file has microseconds with all their digits.
  void add(std::uint64_t process, std::uint64_t thread, const std::string& category, const std::string& name,
           TimePs start, TimePs end, const Json& arguments = nullptr);

 private:
  void line(const std::string& text);
  std::ostream& to_;
  bool first_ = true;
};

}  // namespace wafertlm
