// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/fabric_kinds.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "platform/fabrics/dimensional/dimensional_kind.h"
#include "platform/fabrics/ethernet/ethernet_kind.h"
#include "platform/fabrics/fred/fred_kind.h"
#include "platform/fabrics/graph/graph_kind.h"
#include "platform/fabrics/mesh/mesh_kind.h"
#include "platform/spec/platform_spec.h"

namespace wafertlm {
namespace {

struct Registry {
  Registry() {
    kinds.push_back(std::make_unique<MeshKind>());
    kinds.push_back(std::make_unique<FredKind>());
    kinds.push_back(std::make_unique<DimensionalKind>());
    kinds.push_back(graph_kind());
    kinds.push_back(std::make_unique<EthernetKind>());
  }
  std::vector<std::unique_ptr<const FabricKind>> kinds;
  bool in_use = false;
};

Registry& registry() {
  static Registry all;
  return all;
}

}  // namespace

void add_fabric_kind(std::unique_ptr<const FabricKind> kind) {
  Registry& all = registry();
  const std::string name = kind->name();
  if (all.in_use)
    throw std::logic_error("the fabric kind '" + name +
                           "' comes too late: add it before any configuration is read");
  if (std::any_of(all.kinds.begin(), all.kinds.end(),
                  [&](const auto& known) { return known->name() == name; }))
    throw std::invalid_argument("there is a fabric kind '" + name + "' already");
  all.kinds.push_back(std::move(kind));
}

const std::vector<std::unique_ptr<const FabricKind>>& fabric_kinds() {
  registry().in_use = true;
  return registry().kinds;
}

const FabricKind& default_fabric_kind() { return *registry().kinds.front(); }

const FabricKind& fabric_kind(const config::WaferSpec& wafer) {
  const FabricKind& kind = *wafer.fabric.kind;
  return wafer.outer ? kind.of_several_wafers() : kind;
}

}  // namespace wafertlm
