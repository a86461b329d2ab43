// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "models/memory_engine/provider_engine.h"

namespace wafertlm {

/// Pearson's chi-square test of whether two things that are observed together are independent.
class IndependenceTest {
 public:
  IndependenceTest(std::size_t rows, std::size_t columns) : columns_(columns), counts_(rows * columns) {}

  void observe(std::size_t row, std::size_t column) { ++counts_[row * columns_ + column]; }

  struct Result {
    double chi_square = 0;
    std::uint64_t degrees_of_freedom = 0;
    double z =
        0;  ///< about standard normal if independent (Wilson and Hilferty, PNAS 17, 1931); large: dependent
  };
  Result result() const;

 private:
  std::size_t columns_;
  std::vector<std::uint64_t> counts_;
};

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
