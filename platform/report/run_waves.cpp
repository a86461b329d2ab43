// SPDX-License-Identifier: Apache-2.0
#include "platform/report/run_waves.h"

#include <fnmatch.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "platform/host/fst.h"
#include "platform/machine/wafer.h"
#include "tlm/kernel/globs.h"
#include "tlm/packets/npu_name.h"

namespace wafertlm {
namespace {

SocketWaves::NpuState state_of(const Task& task) {
  using State = SocketWaves::NpuState;
  if (task.kind == Task::Kind::compute || task.kind == Task::Kind::cpu) return State::computes;
  return task.traffic_class.empty() ? State::memory : State::communicates;
}

}  // namespace

struct RunWaves::Memories final : MemoryObserver {
  explicit Memories(RunWaves& waves) : owner(waves) {}
  void moved(std::size_t observed, bool write, std::uint64_t bytes, TimePs start_ps, TimePs end_ps) override {
    const std::size_t number = owner.memories_[observed];
    if (number != ~std::size_t{0}) owner.waves_->moved(number, write, bytes, start_ps, end_ps);
  }
  RunWaves& owner;
};

void require_signals(const std::vector<std::string>& globs, const Machine& machine, const Placement& npus,
                     const std::vector<ObservableSocket>& sockets) {
  std::vector<std::string> names;
  for (const NpuId npu : npus) names.push_back(npu_instance(npu));
  for (std::uint32_t n = 0; n < machine.wafer().npus(); ++n)
    names.push_back(memory_instance(static_cast<NpuId>(n)));
  for (const ObservableSocket& socket : sockets) names.push_back(socket.name);
  for (const std::string& glob : globs)
    if (std::none_of(names.begin(), names.end(), [&](const auto& name) { return matches_any({glob}, name); }))
      throw std::invalid_argument(
          "--signals: nothing is called '" + glob +
          "'; there are such as npu3, hbm_3, npu3_to_router3, router0_to_router1, l1_0_to_npu0, operations_3 "
          "and memory_3, with the numbers and switches of the platform");
}

RunWaves::RunWaves(const std::string& path, const std::vector<std::string>& globs, const Machine& machine,
                   const Placement& npus, const std::vector<ObservableSocket>& sockets, SocketHub& hub)
    : file_(path), ranks_(npus.size()), memory_numbers_(std::make_unique<Memories>(*this)) {
  waves_ = std::make_unique<SocketWaves>(file_.vcd());
  std::vector<std::string> classes;
  for (std::size_t i = 0; i < machine.wafer().classes.size(); ++i)
    classes.push_back(machine.wafer().classes[static_cast<ClassId>(i)].name);
  waves_->name_classes(std::move(classes));
  const auto chosen = [&](const std::string& name) { return matches_any(globs, name); };
  for (std::uint32_t rank = 0; rank < npus.size(); ++rank)
    if (const std::string name = npu_instance(npus[rank]); chosen(name))
      ranks_[rank].number = waves_->add_npu(name);
  bool any_memory = false;
  for (std::uint32_t n = 0; n < machine.wafer().npus(); ++n) {
    const std::string name = memory_instance(static_cast<NpuId>(n));
    memories_.push_back(chosen(name) ? waves_->add_memory(name) : ~std::size_t{0});
    any_memory = any_memory || memories_.back() != ~std::size_t{0};
  }
  if (!any_memory) memories_.clear();
  for (const ObservableSocket& socket : sockets)
    if (chosen(socket.name)) hub.add(socket, *waves_, waves_->add_socket(socket.name, socket.protocol));
}

RunWaves::~RunWaves() = default;

MemoryObserver& RunWaves::memories() { return *memory_numbers_; }

void RunWaves::show(std::uint32_t rank, TimePs now) {
  using State = SocketWaves::NpuState;
  const Npu& npu = ranks_[rank];
  State state = State::idle;
  for (const State each : {State::memory, State::communicates, State::computes})
    if (npu.open[static_cast<std::size_t>(each)] != 0) state = each;
  waves_->npu_state(npu.number, state, now);
}

void RunWaves::operation_started(std::uint32_t rank, const Task& task, TimePs now) {
  if (ranks_[rank].number == ~std::size_t{0}) return;
  ++ranks_[rank].open[static_cast<std::size_t>(state_of(task))];
  show(rank, now);
}

void RunWaves::operation_ended(std::uint32_t rank, const Task& task, TimePs, TimePs end_ps) {
  if (ranks_[rank].number == ~std::size_t{0}) return;
  --ranks_[rank].open[static_cast<std::size_t>(state_of(task))];
  show(rank, end_ps);
}

std::string RunWaves::finish(TimePs end_ps, bool complete) {
  waves_->finish(end_ps, file_.name(complete));
  return file_.finish(complete);
}

std::unique_ptr<TransactionLog> attach_log(const std::string& path, const std::vector<std::string>& globs,
                                           const std::vector<std::string>& classes,
                                           const std::vector<ObservableSocket>& sockets, SocketHub& hub) {
  const std::vector<ObservableSocket> chosen = chosen_sockets(globs, sockets);
  auto log = std::make_unique<TransactionLog>(path);
  log->name_classes(classes);
  for (const ObservableSocket& socket : chosen)
    hub.add(socket, *log, log->add_socket(socket.name, socket.protocol));
  return log;
}

void SocketHub::add(const ObservableSocket& socket, SocketObserver& observer, std::size_t number) {
  const auto found = std::find_if(sockets_.begin(), sockets_.end(),
                                  [&](const Listener& each) { return each.name == socket.name; });
  if (found != sockets_.end()) return found->observers.push_back({&observer, number});
  sockets_.push_back({socket.name, {{&observer, number}}});
  socket.observe(*this, sockets_.size() - 1);
}

void SocketHub::begun(std::size_t socket, const void* id, TimePs now, TimePs at_ps,
                      const SocketTransaction& what) {
  for (const ObservedSocket& each : sockets_[socket].observers)
    each.observer->begun(each.number, id, now, at_ps, what);
}

void SocketHub::phase(std::size_t socket, const void* id, SocketPhase phase, TimePs now, TimePs at_ps) {
  for (const ObservedSocket& each : sockets_[socket].observers)
    each.observer->phase(each.number, id, phase, now, at_ps);
}

std::vector<ObservableSocket> chosen_sockets(const std::vector<std::string>& globs,
                                             const std::vector<ObservableSocket>& all) {
  std::vector<bool> chosen(all.size());
  for (const std::string& glob : globs) {
    bool any = false;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (fnmatch(glob.c_str(), all[i].name.c_str(), 0) == 0) any = chosen[i] = true;
    if (!any)
      throw std::invalid_argument("--log: no socket is called '" + glob +
                                  "'; there are such as npu3_to_router3, router0_to_router1, l1_0_to_npu0, "
                                  "operations_3 and memory_3, with the numbers and switches of the platform");
  }
  std::vector<ObservableSocket> sockets;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (chosen[i]) sockets.push_back(all[i]);
  return sockets;
}

WaveFile::WaveFile(const std::string& path)
    : file_("--vcd", path), vcd_(is_fst(path) ? file_.incomplete() + ".vcd" : file_.incomplete()) {
  if (is_fst(path)) require_vcd2fst(path);
}

std::string WaveFile::finish(bool complete) {
  if (vcd_ != file_.incomplete()) {
    vcd_to_fst(vcd_, file_.incomplete());
    std::remove(vcd_.c_str());
  }
  complete ? file_.put_in_place() : file_.keep();
  return name(complete);
}

}  // namespace wafertlm
