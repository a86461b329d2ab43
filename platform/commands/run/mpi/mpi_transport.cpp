// SPDX-License-Identifier: Apache-2.0
// libwafertlm_mpi.so: loaded when a run has several processes, so that all else needs no MPI.
#include <mpi.h>
#include <sched.h>

#include <chrono>
#include <limits>
#include <stdexcept>
#include <thread>

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
  }
  ~MpiTransport() override { MPI_Finalize(); }
  std::uint32_t process() const override { return static_cast<std::uint32_t>(process_); }
  std::uint32_t processes() const override { return static_cast<std::uint32_t>(processes_); }

  std::vector<Bytes> exchange(const std::vector<Bytes>& to) override {
    std::vector<MPI_Request> sends;
    for (int other = 0; other < processes_; ++other) {
      if (other == process_) continue;
      const Bytes& bytes = to[static_cast<std::size_t>(other)];
      MPI_Isend(bytes.data(), size_of(bytes), MPI_BYTE, other, kBatch, MPI_COMM_WORLD, &sends.emplace_back());
    }
    std::vector<Bytes> from(to.size());
    for (int other = 0; other < processes_; ++other)
      if (other != process_) from[static_cast<std::size_t>(other)] = receive(other);
    Patience patience(look_);
    for (int done = 0;;) {
      MPI_Testall(static_cast<int>(sends.size()), sends.data(), &done, MPI_STATUSES_IGNORE);
      if (done != 0) break;
      patience.wait();
    }
    return from;
  }

  std::array<std::uint64_t, kMinima> least(const std::array<std::uint64_t, kMinima>& own) override {
    std::array<std::uint64_t, kMinima> all{};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(own.data(), all.data(), static_cast<int>(kMinima), MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD,
                   &request);
    wait_for(request);
    return all;
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
    for (int other = 1; other < processes_; ++other) all.push_back(receive(other, kGather));
    return all;
  }

  [[noreturn]] void abort(int exit_code) override {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::abort();
  }

 private:
  static constexpr int kBatch = 0, kGather = 1;

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
  Bytes receive(int from, int tag = kBatch) const {
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
    return bytes;
  }

  int process_ = 0, processes_ = 1;
};

}  // namespace

extern "C" Transport* wafertlm_mpi_transport() { return new MpiTransport; }
