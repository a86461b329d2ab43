// SPDX-License-Identifier: Apache-2.0
#include "platform/system/fabric_kind.h"

#include "platform/system/dimensional_kind.h"
#include "platform/system/fred_kind.h"
#include "platform/system/graph_kind.h"
#include "platform/system/mesh_kind.h"

namespace wafertlm {

const FabricKind& fabric_kind(const config::WaferSpec& spec) {
  static const MeshKind mesh;
  static const FredKind fred;
  static const DimensionalKind dimensional;
  static const GraphKind graph;
  if (spec.outer) return graph;
  switch (spec.fabric.wiring) {
    case config::Wiring::mesh:
      return mesh;
    case config::Wiring::dimensional:
      return dimensional;
    case config::Wiring::graph:
      return graph;
    case config::Wiring::fred:
      break;
  }
  return fred;
}

}  // namespace wafertlm
