// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "tlm/program/matrix_product.h"
#include "workloads/chakra/node.h"

namespace wafertlm::training {

using NodeIds = std::vector<std::uint64_t>;

/// The nodes of a rank, made one after the other. A computation depends on the one before it and on what it
/// was told to wait for; everything else on what its caller names.
class NodeBuilder {
 public:
  /// @param name of the rank, for errors. @param effective_rate operations per second of a computation; 0: it
  /// gets no duration.
  NodeBuilder(std::string name, std::uint64_t effective_rate)
      : name_(std::move(name)), effective_rate_(effective_rate) {}

  bool empty() const { return made_.empty(); }
  /// The oldest one that was not taken yet.
  chakra::Node take();
  /// Behind the names of the nodes that follow.
  void set_label(std::string label) { label_ = std::move(label); }

  /// The last computation; none or one.
  const NodeIds& last() const { return last_; }
  /// What else the next computation needs.
  NodeIds& waits() { return waits_; }
  void wait_for(std::uint64_t id) { waits_.push_back(id); }
  /// last() and waits(), which is empty afterwards: the next computation waits for what comes after them.
  NodeIds everything();

  /// @throws chakra::TraceError: it takes longer than simulated time can hold.
  chakra::Node& computation(const std::string& what, std::uint64_t operations,
                            std::vector<MatrixProduct> products);
  /// The same; none, if there are no operations.
  void compute(const std::string& what, std::uint64_t operations, std::vector<MatrixProduct> products) {
    if (operations != 0) computation(what, operations, std::move(products));
  }
  /// A computation beside them: only its caller knows what it waits for, and who waits for it.
  std::uint64_t aside(const std::string& what, std::uint64_t operations, const NodeIds& after);
  chakra::Node& communication(chakra::NodeType type, const std::string& what, const char* traffic_class,
                              std::uint64_t bytes, const NodeIds& after);
  std::uint64_t collective(chakra::CollectiveType type, const std::string& what, const char* traffic_class,
                           const std::string& group, std::uint64_t bytes, const NodeIds& after);
  /// Through the I/O controllers: a broadcast that comes in or a reduction that goes out.
  std::uint64_t stream(bool comes_in, const std::string& what, const char* traffic_class,
                       const std::string& group, std::uint64_t bytes, const NodeIds& after);
  /// Of the remote memory.
  std::uint64_t access(bool load, const std::string& what, std::uint64_t bytes, const NodeIds& after);

 private:
  void set_operations(chakra::Node& node, std::uint64_t operations) const;
  chakra::Node& add(chakra::NodeType type, const std::string& name, const NodeIds& after);

  std::string name_;
  std::uint64_t effective_rate_;
  std::deque<chakra::Node> made_;
  std::uint64_t next_id_ = 0;
  std::string label_;
  NodeIds last_, waits_;
};

}  // namespace wafertlm::training
