// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace wafertlm::pytorch {

/// Texts by number: a trace has millions of events and few names.
class Names {
 public:
  std::uint32_t number(std::string_view text) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<std::uint32_t>(texts_.size());
    texts_.emplace_back(text);
    numbers_.emplace(texts_.back(), number);
    return number;
  }
  const std::string& operator[](std::uint32_t number) const { return texts_[number]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

}  // namespace wafertlm::pytorch
