// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "models/memory_engine/independence.h"
#include "models/memory_engine/provider_engine.h"

namespace wafertlm {

/// What a provider learns from where the accesses of a requester go, which come one at a time. Observed is
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
  void accessed(RequesterId, bool, const Segment& segment, TimePs) override {
    if (segment.address < layout_.tags())
      bin_ = (segment.address - layout_.base) / layout_.page_bytes * kBins / layout_.slots;
  }

  const RegionLayout layout_;
  const std::uint64_t pages_;
  IndependenceTest test_;
  std::size_t group_ = 0, bin_ = kBins;  // kBins: nothing yet
};

}  // namespace wafertlm
