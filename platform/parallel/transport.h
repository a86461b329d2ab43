// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace wafertlm {

/// What carries bytes between the processes of one simulation. All processes make the same calls in the same
/// order.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::uint32_t process() const = 0;
  virtual std::uint32_t processes() const = 0;

  using Bytes = std::vector<std::byte>;
  static constexpr std::size_t kMinima = 5;
  using Minima = std::array<std::uint64_t, kMinima>;
  struct Exchanged {
    std::vector<Bytes> from;  ///< by process
    Minima least;             ///< of each over all processes
  };
  /// To every process its bytes (by process; nothing goes to this one): a message if there are any.
  virtual Exchanged exchange(const std::vector<Bytes>& to, const Minima& own) = 0;
  Minima least(const Minima& own) { return exchange(std::vector<Bytes>(processes()), own).least; }
  /// At process 0 those of all, by process; elsewhere nothing.
  virtual std::vector<Bytes> gather(const Bytes& own) = 0;
  /// Called now and then while the others are waited for; what it throws ends the wait.
  void while_waiting(std::function<void()> look) { look_ = std::move(look); }
  /// All processes know that the simulation is over: they can end in order.
  void all_end() { all_end_ = true; }
  bool do_all_end() const { return all_end_; }
  /// Ends all processes, of which others may wait for this one, or have gone.
  [[noreturn]] virtual void abort(int exit_code) = 0;

 protected:
  std::function<void()> look_;

 private:
  bool all_end_ = false;
};

/// What libwafertlm_mpi.so has: a Transport over MPI_COMM_WORLD.
using MakeTransport = Transport*();
constexpr const char* kMakeTransport = "wafertlm_mpi_transport";

}  // namespace wafertlm
