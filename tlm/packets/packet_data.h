// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "tlm/kernel/optional_box.h"

namespace wafertlm {

/// The payload of a packet or a message in functional mode. Without it a pointer; the storage stays when it
/// is cleared.
class PacketData {
 public:
  PacketData() = default;
  PacketData& operator=(std::vector<std::byte> bytes) {
    bytes_.make() = std::move(bytes);
    return *this;
  }
  // The library's sequences have these names.
  template <typename Iterator>
  void assign(Iterator first, Iterator last) {
    bytes_.make().assign(first, last);
  }
  void resize(std::size_t size) { bytes_.make().resize(size); }
  void clear() {
    if (bytes_) bytes_->clear();
  }
  bool empty() const { return size() == 0; }
  std::size_t size() const { return bytes_ ? bytes_->size() : 0; }
  std::byte& operator[](std::size_t i) { return (*bytes_)[i]; }
  const std::byte& operator[](std::size_t i) const { return (*bytes_)[i]; }
  std::byte* data() { return bytes_ ? bytes_->data() : nullptr; }
  const std::byte* data() const { return begin(); }
  const std::byte* begin() const { return bytes_ ? bytes_->data() : nullptr; }
  const std::byte* end() const { return begin() + size(); }

  std::vector<std::byte> bytes() const { return bytes_ ? *bytes_ : std::vector<std::byte>(); }

 private:
  OptionalBox<std::vector<std::byte>> bytes_;
};

}  // namespace wafertlm
