// SPDX-License-Identifier: Apache-2.0
#include "workloads/trace_model/model.h"

#include <tuple>

namespace wafertlm::trace_model {

bool operator<(const Kind& a, const Kind& b) {
  const auto key = [](const Kind& k) {
    return std::tie(k.type, k.collective, k.cpu, k.io_stream, k.delay, k.unit, k.traffic_class, k.family,
                    k.nth, k.peer, k.lane, k.priority, k.dims);
  };
  return key(a) < key(b);
}

std::size_t Model::slot_count() const {
  std::size_t count = 0;
  for (const Behaviour& each : behaviours) count += each.slots.size() + each.side_slots.size();
  return count;
}

std::uint64_t length(const std::vector<Step>& steps) {
  std::uint64_t sum = 0;
  for (const Step& step : steps) sum += step.body.empty() ? step.times : step.times * length(step.body);
  return sum;
}

double float_length(const std::vector<Step>& steps) {
  double sum = 0;
  for (const Step& step : steps) sum += step.body.empty() ? step.times : step.times * float_length(step.body);
  return sum;
}

Family regular_family(std::uint32_t ranks, std::uint32_t size, std::uint32_t stride) {
  Family family(ranks / size);
  for (std::uint32_t group = 0; group < family.size(); ++group)
    for (std::uint32_t i = 0; i < size; ++i)
      family[group].push_back(group / stride * stride * size + group % stride + i * stride);
  return family;
}

}  // namespace wafertlm::trace_model
