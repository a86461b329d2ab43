// SPDX-License-Identifier: Apache-2.0
#include "platform/system/fabric_kind.h"

#include "platform/system/mesh_kind.h"

namespace wafertlm {

const FabricKind& fabric_kind(const config::WaferSpec&) {
  static const MeshKind mesh;
  return mesh;
}

}  // namespace wafertlm
