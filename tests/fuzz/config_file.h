// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/spec/load.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/same_spec.h"

namespace wafertlm::fuzz {

/// What is loaded from `path`, or nothing; its resolved text must load as the same.
template <class Spec>
std::optional<Spec> loaded(Spec (*load)(const std::string&, const std::vector<std::string>&),
                           const std::string& path) {
  const auto spec = accepted([&] { return load(path, {}); });
  if (!spec) return spec;
  const std::string resolved = write("resolved.yaml", config::resolved_yaml(*spec));
  require(again([&] { return load(resolved, {}); }) == *spec,
          "the resolved configuration says something else");
  return spec;
}

}  // namespace wafertlm::fuzz
