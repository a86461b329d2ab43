// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/machine/bind_memory.h"
#include "platform/machine/equal_places.h"
#include "tlm/kernel/module_list.h"
#include "tlm/memory/requester.h"
#include "tlm/packets/link_observer.h"
#include "tlm/shape/fabric_traits.h"

namespace wafertlm {

namespace config {
struct PlatformSpec;
}

/// Of a platform, with its I/O controllers.
FabricTraits platform_traits(const config::PlatformSpec& spec);

class Endpoint;
class EpisodeObserver;
class Episodes;
class Fault;
class Hbm;
class IoController;
class MemoryObserver;
class MemoryViews;
class Npu;
class OperationPort;
class PlayedSocket;
class RecordedSocket;
struct ReliabilityTotals;
class RemotePool;
class RunFaults;
class StateVisitor;
class SampledSocket;
class Sampling;
class SteadyStates;
struct SteadyCounts;
class Wafer;

/// A wafer with its NPUs, memories and I/O controllers, ready to be driven through the operation sockets of
/// the NPUs and the controllers.
class Machine {
 public:
  /// `memories`: in place of the HBM models of the platform, `pool`: of its remote memory's. They are the
  /// caller's and must outlive the machine. With one for all there is one NPU, number 0, which stands for
  /// all;
  /// @throws PlacesDiffer (from the simulation): it does not.
  explicit Machine(const config::PlatformSpec& spec, bool reverse = false,
                   const BindMemory& memories = nullptr, const BindPool& pool = nullptr, Places places = {});
  ~Machine();

  Wafer& wafer() { return *wafer_; }
  const Wafer& wafer() const { return *wafer_; }
  const FabricTraits& traits() const { return traits_; }
  /// Only NPU 0 is simulated, and stands for all.
  bool one_for_all() const { return places_.one_for_all; }
  const Places& places() const { return places_; }
  /// Another process has an NPU that is not here.
  bool has(NpuId id) const { return wafer_of_npu_.empty() || places_.part->has(wafer_of_npu_[index_of(id)]); }
  /// The NPU, or the one that stands for it.
  Npu& npu(NpuId id) { return *npus_[place_of(id)]; }
  const Npu& npu(NpuId id) const { return *npus_[place_of(id)]; }
  /// Of the platform's own HBM models, likewise.
  const Hbm& memory(NpuId id) const { return *memories_.at(place_of(id)); }
  Hbm& memory(NpuId id) { return *memories_.at(place_of(id)); }
  /// The RTL of memory controllers; empty if there is none.
  MemoryViews& memory_rtl() { return *memory_rtl_; }
  const MemoryViews& memory_rtl() const { return *memory_rtl_; }
  /// Nothing is simulated here: operations end as logs say, without values.
  bool is_played() const { return places_.logs && !places_.part->has_any(); }
  /// Null without one. Grants of its providers may come and go.
  RemotePool* remote() { return remote_.get(); }
  const RemotePool* remote() const { return remote_.get(); }
  /// Of an NPU or an I/O controller.
  const Endpoint& endpoint(NpuId id) const;
  std::uint32_t io_controllers() const { return static_cast<std::uint32_t>(io_.size()); }
  const IoController& io_controller(std::uint32_t k) const { return *io_[k]; }
  /// Binds a sequencer's port to an NPU or an I/O controller, through a checker if the platform asks for
  /// them.
  void attach(OperationPort& port, NpuId endpoint);

  /// Lets the scheduler work node by node where the fabric has a lookahead; see
  /// Scheduler::allow_lookahead_windows. For runs in which the end of an operation starts nothing.
  void allow_lookahead_windows();

  /// What was skipped because it repeats; null if the run is not accelerated, because of not_accelerated(),
  /// or the fabric carries whole messages.
  const SteadyCounts* skipped() const;
  const std::string& not_accelerated() const { return not_accelerated_; }
  /// What was played; null if the run is not accelerated.
  const Episodes* episodes() const { return episodes_.get(); }
  /// They are played, or nothing forbids it so far.
  bool plays_episodes() const;
  /// Packets that have left all endpoints, simulated or not.
  std::uint64_t injected_packets() const;
  /// What runs from now on is sampled, if the platform's run.acceleration says so and nothing forbids it; for
  /// whoever says in its results that they were. Before attach().
  void allow_sampling();
  /// Null if the run is not sampled.
  Sampling* sampling() { return sampling_.get(); }
  const Sampling* sampling() const { return sampling_.get(); }
  /// Before the models are read: what was played and not simulated is known to them.
  void settle();

  /// The fault that the platform's run.fault asks for; null if it asks for none.
  const Fault* fault() const { return fault_.get(); }
  /// The platform's run.faults; null if there are none.
  const RunFaults* faults() const { return faults_.get(); }
  /// None if nothing is acknowledged.
  std::optional<ReliabilityTotals> reliability() const;
  /// The most of Communication::early_bytes_high_water() over all NPUs and I/O controllers.
  std::uint64_t early_bytes_high_water() const;
  /// Tells `observer` about every packet on any link: of the fabric's switches with their numbers, and of
  /// endpoint e's injection port with the number of switches + e. If the observer does not take repeats
  /// nothing is accelerated.
  void observe_links(LinkObserver& observer);
  /// Tells `observer` of episodes, if they are played.
  void observe_episodes(EpisodeObserver& observer);
  /// Tells `observer`, with the NPU's number, what its memory moves.
  void observe_memories(MemoryObserver& observer);
  /// What all NPUs and controllers still wait for, in words.
  std::vector<std::string> pending() const;
  /// Of all endpoints and the fabric.
  void list_state(StateVisitor& state);
  /// The wafer and the injection ports of all endpoints are at rest.
  /// @throws std::logic_error that says what is not.
  void require_rest();

 private:
  void attach_to_log(OperationPort& port, NpuId endpoint);
  std::size_t place_of(NpuId npu) const { return one_for_all() ? 0 : index_of(npu); }

  const Places places_;
  std::unique_ptr<Wafer> wafer_;
  FabricTraits traits_;
  ScratchMemory scratch_{};
  std::unique_ptr<Fault> fault_;
  std::unique_ptr<RunFaults> faults_;
  std::string not_accelerated_;           // why
  std::unique_ptr<SteadyStates> steady_;  // none: not accelerated, or whole messages
  std::unique_ptr<Episodes> episodes_;    // none: not accelerated
  std::unique_ptr<Sampling> sampling_;
  ModuleList<SampledSocket> sampled_;
  ModuleList<RecordedSocket> recorded_;
  ModuleList<PlayedSocket> played_;
  std::vector<std::uint32_t> wafer_of_npu_;  // of a part
  ModuleList<Npu> npus_;
  ModuleList<Hbm> memories_;  // none if they are somebody else's
  std::unique_ptr<MemoryViews> memory_rtl_;
  ModuleList<IoController> io_;
  std::unique_ptr<RemotePool> remote_;
};

}  // namespace wafertlm
