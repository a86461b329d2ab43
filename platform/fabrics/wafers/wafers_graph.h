// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/graph/graph_params.h"
#include "platform/fabrics/wafers/wafer_piece.h"

namespace wafertlm {

/// The wafers of `spec.outer`, each like `piece`, as one graph: NPUs on their switches, I/O controllers as
/// switches that take no time, and the links between these. A packet for another wafer goes over one
/// controller of each: between NPUs with one number over the one that the fewest others have, else the
/// shortest way. Behind the controller through which it enters its wafer it goes on on the other half of its
/// class's channels, and so around a ring of wafers; so nothing waits in a circle.
GraphParams wafers_params(const config::WaferSpec& spec, const WaferPiece& piece);

}  // namespace wafertlm
