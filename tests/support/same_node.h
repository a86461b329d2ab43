// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tuple>

#include "workloads/chakra/node.h"

namespace wafertlm::chakra {

inline bool operator==(const Node& a, const Node& b) {
  const auto all = [](const Node& n) {
    return std::tie(n.id, n.name, n.type, n.ctrl_deps, n.data_deps, n.duration_ps, n.is_cpu_op, n.num_ops,
                    n.tensor_size, n.products, n.comm_type, n.comm_size, n.send_bytes, n.receive_bytes,
                    n.comm_src, n.comm_dst, n.comm_tag, n.comm_priority, n.pg_name, n.involved_dim,
                    n.comm_class, n.io_stream, n.unit);
  };
  return all(a) == all(b);
}
inline bool operator!=(const Node& a, const Node& b) { return !(a == b); }

}  // namespace wafertlm::chakra
