// SPDX-License-Identifier: Apache-2.0
#include "platform/report/run_waves.h"

#include <fnmatch.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace wafertlm {
namespace {

bool ends_in_fst(const std::string& path) {
  return path.size() > 4 && path.compare(path.size() - 4, 4, ".fst") == 0;
}

SocketWaves::NpuState state_of(const Task& task) {
  using State = SocketWaves::NpuState;
  if (task.kind == Task::Kind::compute || task.kind == Task::Kind::cpu) return State::computes;
  return task.traffic_class.empty() ? State::memory : State::communicates;
}

/// As a word of a shell command.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char letter : text) word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return word + "'";
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

RunWaves::RunWaves(const std::string& path, const std::vector<std::string>& globs, Machine& machine,
                   const Placement& npus, SocketHub& hub)
    : path_(path),
      vcd_(ends_in_fst(path) ? path + ".vcd" : path),
      ranks_(npus.size()),
      memory_numbers_(std::make_unique<Memories>(*this)) {
  if (ends_in_fst(path) && std::system("command -v vcd2fst >/dev/null 2>&1") != 0)
    throw std::invalid_argument(path +
                                ": an FST file needs vcd2fst, which is not installed; install gtkwave, or "
                                "write a .vcd file");
  waves_ = std::make_unique<SocketWaves>(vcd_);
  std::vector<std::string> classes;
  for (std::size_t i = 0; i < machine.wafer().classes.size(); ++i)
    classes.push_back(machine.wafer().classes[static_cast<ClassId>(i)].name);
  waves_->name_classes(std::move(classes));
  std::vector<bool> used(globs.size());
  const auto chosen = [&](const std::string& name) {
    bool any = false;
    for (std::size_t i = 0; i < globs.size(); ++i)
      if (fnmatch(globs[i].c_str(), name.c_str(), 0) == 0) any = used[i] = true;
    return any;
  };
  for (std::uint32_t rank = 0; rank < npus.size(); ++rank)
    if (const std::string name = "npu" + std::to_string(index_of(npus[rank])); chosen(name))
      ranks_[rank].number = waves_->add_npu(name);
  bool any_memory = false;
  for (std::uint32_t n = 0; n < machine.wafer().npus(); ++n) {
    const std::string name = machine.memory(static_cast<NpuId>(n)).name();
    memories_.push_back(chosen(name) ? waves_->add_memory(name) : ~std::size_t{0});
    any_memory = any_memory || memories_.back() != ~std::size_t{0};
  }
  if (!any_memory) memories_.clear();
  for (const ObservableSocket& socket : observable_sockets())
    if (chosen(socket.name)) hub.add(socket, *waves_, waves_->add_socket(socket.name, socket.protocol));
  for (std::size_t i = 0; i < globs.size(); ++i)
    if (!used[i])
      throw std::invalid_argument(
          "--signals: nothing is called '" + globs[i] +
          "'; there are npu3, hbm_3, router0_to_router1, npu3_to_router3, operations_3 and "
          "memory_3, with the numbers and switches of the platform");
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

void RunWaves::finish(TimePs end_ps) {
  waves_->finish(end_ps, path_);
  if (!ends_in_fst(path_)) return;
  const std::string command = "vcd2fst " + quoted(vcd_) + " " + quoted(path_) + " >/dev/null";
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error("vcd2fst could not make " + path_ + " of " + vcd_);
  std::remove(vcd_.c_str());
}

std::unique_ptr<TransactionLog> attach_log(const std::string& path, const std::vector<std::string>& globs,
                                           SocketHub& hub) {
  const std::vector<ObservableSocket> sockets = chosen_sockets(globs);
  auto log = std::make_unique<TransactionLog>(path);
  for (const ObservableSocket& socket : sockets)
    hub.add(socket, *log, log->add_socket(socket.name, socket.protocol));
  return log;
}

}  // namespace wafertlm
