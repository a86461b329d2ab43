// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

namespace wafertlm {

/// A value that most owners do without: a pointer's size, absent until it is made, and copied with its owner.
template <typename T>
class OptionalBox {
 public:
  OptionalBox() = default;
  OptionalBox(const OptionalBox& other) : value_(copy_of(other)) {}
  OptionalBox(OptionalBox&&) noexcept = default;
  OptionalBox& operator=(const OptionalBox& other) {
    value_ = copy_of(other);
    return *this;
  }
  OptionalBox& operator=(OptionalBox&&) noexcept = default;
  ~OptionalBox() = default;

  explicit operator bool() const { return value_ != nullptr; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }
  /// It, made if it was absent.
  T& make() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  static std::unique_ptr<T> copy_of(const OptionalBox& other) {
    return other.value_ ? std::make_unique<T>(*other.value_) : nullptr;
  }
  std::unique_ptr<T> value_;
};

}  // namespace wafertlm
