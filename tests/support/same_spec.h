// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/describe/node.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/experiment_spec.h"
#include "platform/spec/study_spec.h"

namespace wafertlm::config {

/// Equal values and equal provenances.
template <class Spec>
bool same_spec(const Struct<Spec>& type, const Spec& a, const Spec& b) {
  return same_values(type.write(a), type.write(b)) && a.origins == b.origins;
}
inline bool operator==(const ExperimentSpec& a, const ExperimentSpec& b) {
  return same_spec(*experiment_type(), a, b);
}
inline bool operator==(const ModelSpec& a, const ModelSpec& b) { return same_spec(*model_type(), a, b); }
inline bool operator==(const PlatformSpec& a, const PlatformSpec& b) {
  return same_spec(*platform_type(), a, b);
}
inline bool operator==(const StudySpec& a, const StudySpec& b) { return same_spec(*study_type(), a, b); }
inline bool operator==(const WorkloadSpec& a, const WorkloadSpec& b) {
  return same_spec(*workload_type(), a, b);
}

}  // namespace wafertlm::config
