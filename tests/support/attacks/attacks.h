// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "models/memory_engine/engine_params.h"

namespace wafertlm::test {

/// How a tenant's pages are protected.
struct Protection {
  const char* name;
  CipherMode cipher;
  Integrity integrity;
  Hiding hiding;
};

/// Something that a provider of remote memory, another tenant or chance does. Carrying it out says how it
/// ends: the name of the refusal that stops it, kSucceeds, or what else became of it; "" where it makes no
/// sense.
struct Attack {
  const char* what;
  std::function<std::string(const Protection&)> carry_out;
};

constexpr const char* kSucceeds = "**succeeds**";

std::vector<Attack> attacks_on_contents();  ///< by the provider that has the pages
std::vector<Attack> attacks_on_grants();    ///< by other tenants
std::vector<Attack> attacks_on_secrets();   ///< on keys and on the pattern of accesses
std::vector<Attack> faults();               ///< by nobody

}  // namespace wafertlm::test
