// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace wafertlm {

/// State that the wake-ups of a partition touch. The scheduler asks for it before it comes to that partition,
/// so that it is in the cache then; see Scheduler::add_hint. Calls change nothing.
class CacheHint {
 public:
  /// Fetches the object's tables.
  virtual void prefetch() const {}
  /// Fetches what the tables point to; some wake-ups later, when the tables are there.
  virtual void prefetch_pointees() const {}

 protected:
  ~CacheHint() = default;
};

/// Fetches `count` objects from `first` on.
template <typename T>
void prefetch_lines(const T* first, std::size_t count) {
  const auto* const bytes = reinterpret_cast<const char*>(first);
  for (std::size_t k = 0; k < count * sizeof(T); k += 64) __builtin_prefetch(bytes + k);
}

}  // namespace wafertlm
