// SPDX-License-Identifier: Apache-2.0
#include "tlm/checking/checking.h"

namespace wafertlm {

std::string to_string(const Violation& violation) {
  return say(violation.checker, ": ", violation.rule.name, " at ", violation.at_ps,
             " ps: ", violation.rule.text, "; saw ", violation.seen, ", expected ", violation.expected);
}

void throw_violation(const Violation& violation) { throw ProtocolViolation(violation); }

const char* answer_name(::tlm::tlm_sync_enum answer) {
  static constexpr const char* kNames[] = {"TLM_ACCEPTED", "TLM_UPDATED", "TLM_COMPLETED"};
  const auto number = static_cast<std::size_t>(answer);
  return number < std::size(kNames) ? kNames[number] : "no answer known to TLM";
}

Checker::Checker(const sc_core::sc_module_name& name, ViolationHandler handler)
    : sc_module(name), handler_(std::move(handler)) {
  totals_.name = this->name();
}

std::vector<CheckerTotals> CheckerSet::totals() const {
  std::vector<CheckerTotals> totals;
  totals.reserve(checkers_.size());
  for (const auto& checker : checkers_) totals.push_back(checker->totals());
  return totals;
}

}  // namespace wafertlm
