// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "platform/spec/fabric_kind.h"

namespace wafertlm {

/// Adds a kind beside those of the library. Call it at the start of sc_main, before the configuration is
/// described or read.
/// @throws std::invalid_argument: there is one of that name; std::logic_error: it is too late.
void add_fabric_kind(std::unique_ptr<const FabricKind> kind);

/// All kinds; the first is what a fabric is that says nothing. From then on the list does not change.
const std::vector<std::unique_ptr<const FabricKind>>& fabric_kinds();
/// The first of them, without that effect.
const FabricKind& default_fabric_kind();

/// The kind of a wafer's fabric or, with `wafer.outer`, of all wafers together.
const FabricKind& fabric_kind(const config::WaferSpec& wafer);

}  // namespace wafertlm
