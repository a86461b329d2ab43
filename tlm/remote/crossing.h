// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/packets/class_table.h"
#include "tlm/packets/packet.h"

namespace wafertlm {

/// Bytes for another process on a machine of the same kind: plain values one behind the other.
class ByteWriter {
 public:
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(reinterpret_cast<const std::byte*>(&value), sizeof value);
  }
  void put_bytes(const std::byte* begin, std::size_t size) {
    bytes_.insert(bytes_.end(), begin, begin + size);
  }
  bool empty() const { return bytes_.empty(); }
  /// A string or a list of bytes, with its size.
  template <typename Bytes>
  void put_block(const Bytes& bytes) {
    static_assert(sizeof(bytes[0]) == 1);
    put(std::uint64_t{bytes.size()});
    put_bytes(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
  }
  std::vector<std::byte> take() { return std::exchange(bytes_, {}); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads what a ByteWriter has written.
class ByteReader {
 public:
  explicit ByteReader(const std::vector<std::byte>& bytes) : bytes_(bytes) {}
  bool at_end() const { return left() == 0; }
  std::size_t left() const { return bytes_.size() - at_; }
  /// @throws std::logic_error: there is not so much left.
  template <typename T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, get_bytes(sizeof value), sizeof value);
    return value;
  }
  template <typename Bytes>
  Bytes get_block() {
    const auto size = static_cast<std::size_t>(get<std::uint64_t>());
    const auto* const begin = reinterpret_cast<const typename Bytes::value_type*>(get_bytes(size));
    return Bytes(begin, begin + size);
  }
  const std::byte* get_bytes(std::size_t size) {
    if (left() < size) throw std::logic_error("a batch of another process is cut short");
    at_ += size;
    return bytes_.data() + (at_ - size);
  }

 private:
  const std::vector<std::byte>& bytes_;
  std::size_t at_ = 0;
};

/// A packet whose head reaches the end of a link in another process, with what its message is; `data_bytes`
/// of values follow.
struct CrossingPacket {
  std::uint32_t link = 0;
  TimePs head_ps = 0, tail_ps = 0;
  TimePs created_ps = 0;
  NpuId destination{}, source{};
  std::uint32_t wire_bytes = 0, payload_bytes = 0;
  std::uint32_t head_fraction = 0, hops = 0, lane = 0;
  ClassId traffic_class{};
  VcId vc{};
  std::uint64_t sequence = 0, offset = 0;
  std::uint64_t operation = 0, tag = 0, message_bytes = 0;
  std::uint64_t identity = 0;  ///< of the packet, for the process that it comes from
  std::uint32_t data_bytes = 0;
};

/// Room that gets free at the beginning of a link in another process.
struct CrossingCredit {
  std::uint32_t link = 0;
  std::uint64_t identity = 0;  ///< CrossingPacket::identity
  TimePs at_ps = 0;
};

enum class Crossing : std::uint8_t { packet, credit };

}  // namespace wafertlm
