// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace wafertlm {

/// A thread that works on chunks (containers) in the order in which they are handed over. When it falls
/// behind, the caller waits, so memory stays bounded.
template <typename Chunk>
class Worker {
 public:
  /// `work` is called by the thread only.
  explicit Worker(std::function<void(const Chunk&)> work) : work_(std::move(work)) {}
  ~Worker() { join(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Gives `chunk` away; it is empty afterwards, with the memory of an earlier one.
  void hand_over(Chunk& chunk) {
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return full_.size() < kMaxChunks; });
      full_.push_back(std::move(chunk));
      chunk = {};
      if (!empty_.empty()) {
        chunk = std::move(empty_.back());
        empty_.pop_back();
      }
    }
    changed_.notify_all();
  }

  /// Waits for the last chunk. @throws what `work` threw first; chunks after it were dropped.
  void finish() {
    join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  static constexpr std::size_t kMaxChunks = 16;

  void join() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void run() {
    for (;;) {
      Chunk chunk;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return done_ || !full_.empty(); });
        if (full_.empty()) return;
        chunk = std::move(full_.front());
        full_.pop_front();
      }
      changed_.notify_all();
      try {
        if (!failure_) work_(chunk);
      } catch (...) {
        failure_ = std::current_exception();
      }
      chunk.clear();
      const std::lock_guard<std::mutex> lock(mutex_);
      empty_.push_back(std::move(chunk));
    }
  }

  std::function<void(const Chunk&)> work_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Chunk> full_;
  std::vector<Chunk> empty_;
  bool done_ = false;
  std::exception_ptr failure_;  // of the thread until it has ended
};

}  // namespace wafertlm
