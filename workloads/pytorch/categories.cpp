// SPDX-License-Identifier: Apache-2.0
#include "workloads/pytorch/categories.h"

#include <unordered_map>

namespace wafertlm::pytorch {
namespace {

using Role = EventKind::Role;

bool ends_in(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

EventKind kind_of_category(std::string_view category, bool has_stream) {
  struct Row {
    Role role;
    std::string_view rule = {};
  };
  // libkineto's names (ActivityType.cpp), and those of PyTorch before it. Other calls: by the name's end.
  static const std::unordered_map<std::string_view, Row> kRows = {
      {"cpu_op", {Role::operation}},
      {"user_annotation", {Role::operation}},
      {"Operator", {Role::operation}},
      {"Runtime", {Role::call}},
      {"hpu_op", {Role::call}},
      {"kernel", {Role::device_work}},
      {"Kernel", {Role::device_work}},
      {"concurrent_kernel", {Role::device_work}},
      {"gpu_memcpy", {Role::device_work}},
      {"Memcpy", {Role::device_work}},
      {"gpu_memset", {Role::device_work}},
      {"Memset", {Role::device_work}},
      {"mtia_ccp_events", {Role::device_work}},
      {"cuda_sync", {Role::synchronisation}},
      {"gpu_user_annotation", {Role::left_out, "annotation repeated on a device"}},
      {"cuda_profiler_range", {Role::left_out, "range of performance counters"}},
      {"gpu_pm_counter", {Role::left_out, "performance counter"}},
      {"collective_comm", {Role::left_out, "communication as its library saw it"}},
      {"mtia_insight", {Role::left_out, "sample of a device's counters"}},
      {"python_function", {Role::left_out, "Python function"}},
      {"overhead", {Role::left_out, "overhead of the profiler"}},
      {"Trace", {Role::left_out, "span of the profiler"}},
      {"external_correlation", {Role::left_out, "correlation without work"}}};
  const auto found = kRows.find(category);
  if (found != kRows.end()) return {found->second.role, std::string(found->second.rule)};
  if (ends_in(category, "_runtime") || ends_in(category, "_driver")) return {Role::call, {}};
  if (has_stream) return {Role::device_work, {}};
  return {Role::left_out, "category " + std::string(category.empty() ? "none" : category) + ", not known"};
}

std::string rule_of_phase(std::string_view phase) {
  static const std::unordered_map<std::string_view, std::string_view> kRules = {
      {"M", "name of a process or thread"},
      {"s", "flow arrow"},
      {"t", "flow arrow"},
      {"f", "flow arrow"},
      {"i", "instant"},
      {"I", "instant"},
      {"R", "instant"},
      {"C", "counter"},
      {"b", "asynchronous mark"},
      {"n", "asynchronous mark"},
      {"e", "asynchronous mark"}};
  const auto found = kRules.find(phase);
  if (found != kRules.end()) return std::string(found->second);
  return "phase " + std::string(phase) + ", not known";
}

}  // namespace wafertlm::pytorch
