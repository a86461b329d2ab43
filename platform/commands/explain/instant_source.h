// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "workloads/chakra/node_source.h"

namespace wafertlm {

/// The nodes of another source, those of one category ("compute" or a traffic class) with next to nothing to
/// do: computations take no time, communications of a class move a byte. Latencies remain.
class InstantSource final : public chakra::ForwardingSource {
 public:
  InstantSource(std::unique_ptr<chakra::NodeSource> source, std::string category);
  bool next(chakra::Node& node) override;

 private:
  std::unique_ptr<chakra::NodeSource> owned_;
  std::string category_;
};

}  // namespace wafertlm
