// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "models/memory_engine/independence.h"
#include "models/memory_engine/provider_engine.h"

namespace wafertlm {

/// What the providers of a requester, who tell each other everything, learn from where its accesses go, which
/// come one at a time. They are observed with their numbers of the layout. Observed is
/// the last slot that each access touches (under path_oram one of the leaf's). Is it independent of the page
/// that the host asked for?
class AccessPattern : public ProviderObserver {
 public:
  static constexpr std::size_t kBins = 16;

  AccessPattern(const RegionLayout& layout, std::uint64_t pages)
      : layout_(layout), pages_(pages), test_(kBins, kBins) {}

  /// An access to `page` begins; the one before is over.
  void begin(std::uint64_t page) {
    if (bin_ != kBins) test_.observe(group_, bin_);
    group_ = page * kBins / pages_;
    bin_ = kBins;
  }
  IndependenceTest::Result result() const { return test_.result(); }

 private:
  void accessed(std::uint32_t provider, RequesterId, bool, const Segment& segment, TimePs) override {
    if (segment.address < layout_.tags())
      bin_ = layout_.slot_at(provider, segment.address) * kBins / layout_.slots;
  }

  const RegionLayout layout_;
  const std::uint64_t pages_;
  IndependenceTest test_;
  std::size_t group_ = 0, bin_ = kBins;  // kBins: nothing yet
};

}  // namespace wafertlm
