// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace wafertlm {

/// A FIFO in one power-of-two block that grows and never shrinks: no allocation once it has its working size
/// (std::deque allocates a block per 512 bytes that pass through). The block begins with a cache line. T must
/// be trivially copyable.
template <typename T>
class RingQueue {
 public:
  RingQueue() = default;
  RingQueue(const RingQueue& other) { *this = other; }
  /// Keeps the block if it is large enough.
  RingQueue& operator=(const RingQueue& other) {
    if (this == &other) return *this;
    head_ = tail_ = 0;
    for (std::size_t i = 0; i < other.size(); ++i) push_back(other[i]);
    return *this;
  }
  RingQueue(RingQueue&& other) noexcept { *this = std::move(other); }
  RingQueue& operator=(RingQueue&& other) noexcept {
    slots_ = std::move(other.slots_);
    capacity_ = std::exchange(other.capacity_, 0);
    head_ = std::exchange(other.head_, 0);
    tail_ = std::exchange(other.tail_, 0);
    return *this;
  }
  ~RingQueue() = default;

  bool empty() const { return head_ == tail_; }
  /// The next one that is added makes the block grow.
  bool is_full() const { return size() == capacity_; }
  void prefetch() const {
    if (capacity_ != 0) __builtin_prefetch(&front());
  }
  std::size_t size() const { return tail_ - head_; }  // modulo 2^32, like the indices
  T& front() { return slots_[head_ & mask()]; }
  const T& front() const { return slots_[head_ & mask()]; }
  const T& back() const { return slots_[(tail_ - 1) & mask()]; }
  T& operator[](std::size_t i) { return slots_[(head_ + i) & mask()]; }
  const T& operator[](std::size_t i) const { return slots_[(head_ + i) & mask()]; }

  /// `value` may be one that is in here.
  void push_back(const T& value) {
    if (is_full()) {
      const T kept = value;  // the block moves
      grow();
      slots_[tail_++ & mask()] = kept;
      return;
    }
    slots_[tail_++ & mask()] = value;
  }
  void pop_front() { ++head_; }
  void pop_back() { --tail_; }
  /// Those behind position i move on by one.
  void erase(std::size_t i) {
    if (i == 0) return pop_front();
    for (; i + 1 < size(); ++i) (*this)[i] = (*this)[i + 1];
    pop_back();
  }
  /// Moves the entries from position i on back by one and puts `value` there.
  void insert(std::size_t i, const T& value) {
    push_back(value);
    for (std::size_t k = size() - 1; k > i; --k) std::swap((*this)[k], (*this)[k - 1]);
  }

 private:
  std::uint32_t mask() const { return capacity_ - 1; }
  void grow() {
    const std::uint32_t capacity = capacity_ ? 2 * capacity_ : 4;
    Block slots(static_cast<T*>(::operator new(capacity * sizeof(T), kLine)));
    std::uninitialized_value_construct_n(slots.get(), capacity);
    const auto count = static_cast<std::uint32_t>(size());
    for (std::uint32_t i = 0; i < count; ++i) slots[i] = (*this)[i];
    slots_ = std::move(slots);
    capacity_ = capacity;
    head_ = 0;
    tail_ = count;
  }

  static constexpr std::align_val_t kLine{64};
  struct Free {
    void operator()(T* block) const { ::operator delete(block, kLine); }
  };
  using Block = std::unique_ptr<T[], Free>;

  Block slots_;
  std::uint32_t capacity_ = 0, head_ = 0, tail_ = 0;
};

}  // namespace wafertlm
