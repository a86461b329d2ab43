// SPDX-License-Identifier: Apache-2.0
// libwafertlm_mpi.so: loaded when a run has several processes, so that all else needs no MPI.
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "platform/parallel/transport.h"

namespace {

using wafertlm::Transport;

/// Waiting in MPI takes a whole core, which a process of this run may need.
class Patience {
 public:
  explicit Patience(const std::function<void()>& look) : look_(look) {}
  void wait() {
    constexpr int kSpins = 200;
    constexpr std::chrono::milliseconds kLook{100};
    if (++spins_ < kSpins) {
      sched_yield();
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    if (look_ && std::chrono::steady_clock::now() - looked_ > kLook) {
      looked_ = std::chrono::steady_clock::now();
      look_();
    }
  }

 private:
  const std::function<void()>& look_;
  int spins_ = 0;
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
};

class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &process_);
    MPI_Comm_size(MPI_COMM_WORLD, &processes_);
    words_ = kMinima + (static_cast<std::size_t>(processes_) + kCounts - 1) / kCounts;
    MPI_Type_contiguous(static_cast<int>(words_), MPI_UINT64_T, &summary_);
    MPI_Type_commit(&summary_);
    MPI_Op_create(combine, 1, &combine_);
  }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;
  ~MpiTransport() override {
    MPI_Op_free(&combine_);
    MPI_Type_free(&summary_);
    MPI_Finalize();
  }
  std::uint32_t process() const override { return static_cast<std::uint32_t>(process_); }
  std::uint32_t processes() const override { return static_cast<std::uint32_t>(processes_); }

  /// Together with the minima all agree on how many messages each is sent, so that nobody sends or waits for
  /// an empty one.
  Exchanged exchange(const std::vector<Bytes>& to, const Minima& own) override {
    // A process that is through may send the next message before the last one of this round is here.
    const int tag = kBatch + static_cast<int>(round_++ % 2);
    std::vector<std::uint64_t> mine(words_), all(words_);
    std::copy(own.begin(), own.end(), mine.begin());
    std::vector<MPI_Request> sends;
    for (int other = 0; other < processes_; ++other) {
      const Bytes& bytes = to[static_cast<std::size_t>(other)];
      if (other == process_ || bytes.empty()) continue;
      mine[word_of(other)] += std::uint64_t{1} << shift_of(other);
      MPI_Isend(bytes.data(), size_of(bytes), MPI_BYTE, other, tag, MPI_COMM_WORLD, &sends.emplace_back());
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(mine.data(), all.data(), 1, summary_, combine_, MPI_COMM_WORLD, &request);
    wait_for(request);
    Exchanged exchanged{std::vector<Bytes>(to.size()), {}};
    std::copy_n(all.begin(), kMinima, exchanged.least.begin());
    for (auto left = all[word_of(process_)] >> shift_of(process_) & kMostMessages; left != 0; --left) {
      auto [from, bytes] = receive(MPI_ANY_SOURCE, tag);
      exchanged.from[static_cast<std::size_t>(from)] = std::move(bytes);
    }
    Patience patience(look_);
    for (int done = 0;;) {
      MPI_Testall(static_cast<int>(sends.size()), sends.data(), &done, MPI_STATUSES_IGNORE);
      if (done != 0) return exchanged;
      patience.wait();
    }
  }

  std::vector<Bytes> gather(const Bytes& own) override {
    std::vector<Bytes> all;
    if (process_ != 0) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(own.data(), size_of(own), MPI_BYTE, 0, kGather, MPI_COMM_WORLD, &request);
      wait_for(request);
      return all;
    }
    all.push_back(own);
    for (int other = 1; other < processes_; ++other) all.push_back(receive(other, kGather).second);
    return all;
  }

  [[noreturn]] void abort(int exit_code) override {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::abort();
  }

 private:
  static constexpr int kBatch = 0, kGather = 2;  // two tags of batches
  /// Behind the minima: how many messages each process is sent, four numbers in a word.
  static constexpr std::size_t kCounts = 4;
  static constexpr std::uint64_t kMostMessages = 0xFFFF;
  static std::size_t word_of(int process) { return kMinima + static_cast<std::size_t>(process) / kCounts; }
  static int shift_of(int process) { return process % static_cast<int>(kCounts) * 16; }

  static void combine(void* first, void* both, int* length, MPI_Datatype* type) {
    int bytes = 0;
    MPI_Type_size(*type, &bytes);
    const std::size_t words = static_cast<std::size_t>(bytes) / sizeof(std::uint64_t);
    const auto* from = static_cast<const std::uint64_t*>(first);
    auto* to = static_cast<std::uint64_t*>(both);
    for (int left = *length; left != 0; --left, from += words, to += words)
      for (std::size_t word = 0; word < words; ++word)
        to[word] = word < kMinima ? std::min(to[word], from[word]) : to[word] + from[word];
  }
  static int size_of(const Bytes& bytes) {
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw std::runtime_error("more than 2 GiB for another process at once");
    return static_cast<int>(bytes.size());
  }
  void wait_for(MPI_Request& request) const {
    Patience patience(look_);
    for (int done = 0;;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return;
      patience.wait();
    }
  }
  std::pair<int, Bytes> receive(int from, int tag) const {
    Patience patience(look_);
    MPI_Message message{};
    MPI_Status status;
    for (int is_there = 0;;) {
      MPI_Improbe(from, tag, MPI_COMM_WORLD, &is_there, &message, &status);
      if (is_there != 0) break;
      patience.wait();
    }
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Bytes bytes(static_cast<std::size_t>(size));
    MPI_Request request = MPI_REQUEST_NULL;  // of a long one its sender may be gone before all is here
    MPI_Imrecv(bytes.data(), size, MPI_BYTE, &message, &request);
    wait_for(request);
    return {status.MPI_SOURCE, std::move(bytes)};
  }

  int process_ = 0, processes_ = 1;
  std::uint64_t round_ = 0;
  std::size_t words_ = 0;
  MPI_Datatype summary_ = MPI_DATATYPE_NULL;  // the minima and the counts
  MPI_Op combine_ = MPI_OP_NULL;
};

}  // namespace

extern "C" Transport* wafertlm_mpi_transport() { return new MpiTransport; }
