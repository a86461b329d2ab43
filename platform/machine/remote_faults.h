// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "models/memory_engine/engine_modules.h"
#include "platform/spec/remote_memory_spec.h"

namespace wafertlm {

class RemotePool;

/// Providers of remote memory that do not keep to what they promised: each fault of a platform file, at its
/// time, behind the provider's engine.
class RemoteFaults final : private Wakeable {
 public:
  /// A memory without contents to change (transport_dbg) is a std::runtime_error when a fault wants to.
  RemoteFaults(std::vector<config::RemoteFaultSpec> faults, RemotePool& pool, Scheduler& scheduler);

 private:
  using Bytes = std::vector<unsigned char>;
  /// A page and its tag.
  struct Image {
    Bytes page, tag;
  };
  struct Place {
    MemoryEngineProvider& provider;
    Segment page, tag;  ///< without cipher no tag
  };
  void wake(std::uint32_t what, TimePs now) override;
  Place place_of(std::uint32_t npu, std::uint64_t page) const;
  static Image read(const Place& place);
  static void write(const Place& place, Image image);

  const std::vector<config::RemoteFaultSpec> faults_;
  RemotePool& pool_;
  std::vector<Image> earlier_;  // of replays, by fault
};

}  // namespace wafertlm
