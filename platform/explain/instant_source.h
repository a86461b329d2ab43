// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <utility>

#include "workloads/chakra/node_source.h"

namespace wafertlm {

/// The nodes of another source, those of one category with next to nothing to do: "compute" and "cpu" take no
/// time, communications of a class and loads and stores move a byte. Latencies remain.
class InstantSource final : public chakra::NodeSource {
 public:
  InstantSource(std::unique_ptr<chakra::NodeSource> source, std::string category)
      : source_(std::move(source)), category_(std::move(category)) {}
  bool next(chakra::Node& node) override;
  void rewind() override { source_->rewind(); }
  const std::string& name() const override { return source_->name(); }

 private:
  std::unique_ptr<chakra::NodeSource> source_;
  std::string category_;
};

}  // namespace wafertlm
