// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <typeindex>
#include <utility>
#include <vector>

namespace wafertlm {

/// The last few results of a function, by what it was given.
template <typename Key, typename Value>
class Kept {
 public:
  explicit Kept(std::size_t most) : most_(most) {}

  template <typename Make>
  std::shared_ptr<Value> get(Key key, const Make& make) {
    auto found =
        std::find_if(results_.begin(), results_.end(), [&](const auto& each) { return each.first == key; });
    if (found == results_.end()) {
      std::shared_ptr<Value> made = std::make_shared<Value>(make());
      if (results_.size() == most_) results_.pop_back();
      found = results_.insert(results_.end(), {std::move(key), std::move(made)});
    }
    std::rotate(results_.begin(), found, found + 1);
    return results_.front().second;
  }

 private:
  std::size_t most_;
  std::vector<std::pair<Key, std::shared_ptr<Value>>> results_;  // the last one used first
};

/// What planners keep of one fabric: links of groups, trees, schedules, bounds. Not for several threads.
class PlanCache {
 public:
  /// The results of a type that whoever keeps them defines; default-made when first asked for.
  template <typename Results>
  Results& of() {
    std::shared_ptr<void>& results = results_[std::type_index(typeid(Results))];
    if (!results) results = std::make_shared<Results>();
    return *static_cast<Results*>(results.get());
  }

 private:
  std::map<std::type_index, std::shared_ptr<void>> results_;
};

}  // namespace wafertlm
