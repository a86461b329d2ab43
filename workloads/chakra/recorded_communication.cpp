// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/recorded_communication.h"

#include <utility>

#include "workloads/chakra/trace_error.h"

namespace wafertlm::chakra {
namespace {

class RecordedSource final : public ForwardingSource {
 public:
  explicit RecordedSource(std::unique_ptr<NodeSource> source)
      : ForwardingSource(*source), owned_(std::move(source)) {}

  bool next(Node& node) override {
    if (!source().next(node)) return false;
    const bool message = node.type == NodeType::CommSend || node.type == NodeType::CommRecv;
    if (!node.is_collective() && !message) return true;
    if (node.duration_ps == 0 && node.comm_size.value_or(0) != 0)
      throw TraceError(name() + ": " + describe(node) +
                       ": the trace does not say how long it took, so it cannot be replayed as recorded");
    Node computation;
    computation.id = node.id;
    computation.name = std::move(node.name);
    computation.type = NodeType::Comp;
    computation.ctrl_deps = std::move(node.ctrl_deps);
    computation.data_deps = std::move(node.data_deps);
    computation.duration_ps = node.duration_ps;
    computation.unit = node.unit != 0 ? node.unit : kRecordedUnit;
    computation.pg_name = std::move(node.pg_name);
    node = std::move(computation);
    return true;
  }

 private:
  std::unique_ptr<NodeSource> owned_;
};

}  // namespace

std::unique_ptr<NodeSource> with_recorded_communication(std::unique_ptr<NodeSource> source) {
  return std::make_unique<RecordedSource>(std::move(source));
}

}  // namespace wafertlm::chakra
