// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workloads/chakra/node.h"
#include "workloads/chakra/tensors.h"

namespace wafertlm::chakra {

/// Which dependencies of a trace count.
enum class Dependencies : std::uint8_t {
  all,       ///< every one, and its node must be in the trace
  existing,  ///< one on a node that is not in the trace counts as satisfied (filtered traces have them)
  data,      ///< only data dependencies: control dependencies of PyTorch traces name callers, not an order
};

/// How many nodes have an attribute, by its name.
using AttributeCounts = std::map<std::string, std::uint64_t>;

/// The nodes of one rank, one after another: a file, a generator, a list. A parent may come after its child
/// (it does in PyTorch traces), so a reader must look ahead.
class NodeSource {
 public:
  NodeSource() = default;
  NodeSource(const NodeSource&) = delete;
  NodeSource& operator=(const NodeSource&) = delete;
  virtual ~NodeSource() = default;

  /// The next node, into a node that may be used again for every call; false at the end.
  /// @throws TraceError when the source is damaged.
  virtual bool next(Node& node) = 0;
  /// The tensors of the last node, if the source tells; valid until the next call.
  virtual NodeIo io() const { return {}; }
  /// What the rank needs of its NPU's memory, if the source tells.
  virtual std::optional<std::uint64_t> memory_bytes() const { return std::nullopt; }
  /// Which set of ranks it was written with (see stamp_set), if it tells; never 0.
  virtual std::optional<std::uint64_t> set() const { return std::nullopt; }
  /// Attributes of the nodes since the first that nobody knows, and so change nothing.
  virtual AttributeCounts unknown_attributes() const { return {}; }
  /// Starts again at the first node (the next iteration).
  virtual void rewind() = 0;
  /// What messages call it: the file, or the workload and rank.
  virtual const std::string& name() const = 0;
};

/// A list held in memory.
class VectorSource : public NodeSource {
 public:
  VectorSource(std::string name, std::vector<Node> nodes)
      : name_(std::move(name)), nodes_(std::move(nodes)) {}

  bool next(Node& node) override {
    if (position_ == nodes_.size()) return false;
    node = nodes_[position_++];
    return true;
  }
  void rewind() override { position_ = 0; }
  const std::string& name() const override { return name_; }

 private:
  std::string name_;
  std::vector<Node> nodes_;
  std::size_t position_ = 0;
};

/// Another source, which outlives this one, with other nodes: next() calls source().next() and changes what
/// it gives. All else is what the other says.
class ForwardingSource : public NodeSource {
 public:
  explicit ForwardingSource(NodeSource& source) : source_(source) {}

  NodeIo io() const override { return source_.io(); }
  std::optional<std::uint64_t> memory_bytes() const override { return source_.memory_bytes(); }
  std::optional<std::uint64_t> set() const override { return source_.set(); }
  AttributeCounts unknown_attributes() const override { return source_.unknown_attributes(); }
  void rewind() override { source_.rewind(); }
  const std::string& name() const override { return source_.name(); }

 protected:
  NodeSource& source() const { return source_; }

 private:
  NodeSource& source_;
};

}  // namespace wafertlm::chakra
