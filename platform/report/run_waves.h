// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "platform/host/files.h"
#include "platform/machine/machine.h"
#include "platform/report/observables.h"
#include "platform/run/run_observer.h"
#include "waveforms/socket_waves.h"
#include "waveforms/transaction_log.h"
#include "workloads/parallelism/placement.h"

namespace wafertlm {

/// Where waveforms go: FILE.fst is written as a VCD file beside it, which GTKWave's `vcd2fst` then converts;
/// any other name is the VCD file itself. Until it is complete its name has ".incomplete" in it.
class WaveFile {
 public:
  /// @throws std::invalid_argument: vcd2fst is needed and not there.
  explicit WaveFile(const std::string& path);
  /// Where to write.
  const std::string& vcd() const { return vcd_; }
  /// When all is written; of a run that was cut short it remains incomplete. Returns its name.
  /// @throws std::runtime_error
  std::string finish(bool complete);
  /// What finish will return.
  std::string name(bool complete) const { return complete ? file_.path() : file_.incomplete(); }

 private:
  PendingFile file_;
  std::string vcd_;
};

/// Tells several observers about the same sockets. Must live as long as the simulation.
class SocketHub final : public SocketObserver {
 public:
  void add(const ObservableSocket& socket, SocketObserver& observer, std::size_t number);
  void begun(std::size_t socket, const void* id, TimePs now, TimePs at_ps,
             const SocketTransaction& what) override;
  void phase(std::size_t socket, const void* id, SocketPhase phase, TimePs now, TimePs at_ps) override;

 private:
  struct Listener {
    std::string name;
    std::vector<ObservedSocket> observers;
  };
  std::vector<Listener> sockets_;
};

/// Those whose names one of the globs matches. @throws std::invalid_argument for a glob that matches none.
std::vector<ObservableSocket> chosen_sockets(const std::vector<std::string>& globs,
                                             const std::vector<ObservableSocket>& all);

/// @throws std::invalid_argument: a glob that names nothing.
void require_signals(const std::vector<std::string>& globs, const Machine& machine, const Placement& npus,
                     const std::vector<ObservableSocket>& sockets);

/// Chosen signals of a run in a VCD or FST file: sockets by the names of their checkers, "npu3", "hbm_3".
class RunWaves final : public RunObserver {
 public:
  /// FILE.fst needs `vcd2fst`, which comes with GTKWave. @throws std::invalid_argument: it is not there, or a
  /// glob that names nothing.
  RunWaves(const std::string& path, const std::vector<std::string>& globs, const Machine& machine,
           const Placement& npus, const std::vector<ObservableSocket>& sockets, SocketHub& hub);
  ~RunWaves();

  SocketWaves& waves() { return *waves_; }
  bool has_memories() const { return !memories_.empty(); }
  void operation_started(std::uint32_t rank, const Task& task, TimePs now) override;
  void operation_ended(std::uint32_t rank, const Task& task, TimePs start_ps, TimePs end_ps) override;
  /// As WaveFile::finish.
  std::string finish(TimePs end_ps, bool complete);
  std::size_t signals() const { return waves_->signals(); }

 private:
  struct Npu {
    std::size_t number = ~std::size_t{0};
    std::size_t open[4] = {};  // by SocketWaves::NpuState
  };
  void show(std::uint32_t rank, TimePs now);

  WaveFile file_;
  std::unique_ptr<SocketWaves> waves_;
  std::vector<Npu> ranks_;
  std::vector<std::size_t> memories_;
  struct Memories;
  std::unique_ptr<Memories> memory_numbers_;

 public:
  /// Of all memories of the machine; tells the waves about the chosen ones.
  MemoryObserver& memories();
};

/// The log of the sockets that the globs choose, attached to them. @param classes names, by number
std::unique_ptr<TransactionLog> attach_log(const std::string& path, const std::vector<std::string>& globs,
                                           const std::vector<std::string>& classes,
                                           const std::vector<ObservableSocket>& sockets, SocketHub& hub);

}  // namespace wafertlm
