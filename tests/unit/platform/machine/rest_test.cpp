// SPDX-License-Identifier: Apache-2.0
// What models list when nothing is under way is all that their future depends on.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "platform/host/child.h"
#include "platform/machine/machine.h"
#include "platform/machine/wafer.h"
#include "platform/spec/load.h"
#include "tests/support/groups.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_platform.h"
#include "tests/support/sanitized.h"
#include "tests/support/temp_folder.h"
#include "tlm/acceleration/rest_record.h"
#include "tlm/kernel/simulation_context.h"
#include "tlm/operation/operation_port.h"
#include "workloads/collectives/planner.h"

namespace wafertlm::test {
namespace {

using Random = std::mt19937_64;

/// Some ranks of some collectives and messages, that all begin at once.
struct Round {
  std::vector<std::pair<NpuId, Operation>> operations;
};

/// A machine, and who asks it for operations.
class Driven final : public sc_core::sc_module, public OperationListener {
 public:
  Driven(const sc_core::sc_module_name& name, const config::PlatformSpec& spec)
      : sc_module(name), machine(spec) {
    for (std::uint32_t n = 0; n < machine.wafer().endpoints(); ++n) {
      ports_.push_back(std::make_unique<OperationPort>(("port_" + std::to_string(n)).c_str(), *this));
      machine.attach(*ports_.back(), static_cast<NpuId>(n));
    }
  }
  void begin(const Round& round) {
    ends.assign(round.operations.size(), 0);
    under_way_ = ends.size();
    for (std::size_t k = 0; k < ends.size(); ++k)
      ports_[index_of(round.operations[k].first)]->issue(k, round.operations[k].second);
  }
  bool is_done() const { return under_way_ == 0; }
  RestRecord rest() {
    RestRecord record;
    RecordRest visitor(kernel_now_ps(), record);
    machine.list_state(visitor);
    return record;
  }
  void put_back(const RestRecord& record) {
    const std::vector<std::uint64_t> growth(record.counts.size());
    RestoreRest visitor(kernel_now_ps(), record.values, growth);
    machine.list_state(visitor);
  }

  Machine machine;
  std::vector<TimePs> ends;  // of the last round

 private:
  void operation_done(std::uint64_t token, const Operation& operation,
                      const std::vector<std::byte>&) override {
    ends[token] = operation.end_ps;
    --under_way_;
  }
  std::vector<std::unique_ptr<OperationPort>> ports_;
  std::size_t under_way_ = 0;
};

class RoundMaker {
 public:
  RoundMaker(Random& random, const Machine& machine) : random_(random), machine_(machine) {}

  Round make() {
    Round round;
    for (std::uint64_t k = 0, count = between(random_, 1, 4); k < count; ++k)
      one_in(random_, 2) ? add_collective(round) : add_message(round);
    return round;
  }

 private:
  Operation operation(Operation::Kind kind) {
    static const char* const kClasses[] = {"mp", "dp", "pp", "ep"};
    Operation made;
    made.kind = kind;
    made.traffic_class = machine_.wafer().classes.find(pick_of(random_, kClasses));
    made.bytes = between(random_, 1, 6 * machine_.wafer().spec().wafer.fabric.format.packet_bytes);
    return made;
  }
  Group some_npus(std::uint32_t count) {
    Group group = first_npus(machine_.wafer().npus());
    std::shuffle(group.begin(), group.end(), random_);
    group.resize(count);
    return group;
  }
  void add_message(Round& round) {
    const Group ends = some_npus(2);
    Operation made = operation(Operation::Kind::send);
    made.tag = ++number_;
    made.peer = ends[1];
    round.operations.emplace_back(ends[0], made);
    made.kind = Operation::Kind::receive;
    made.peer = ends[0];
    round.operations.emplace_back(ends[1], made);
  }
  void add_collective(Round& round) {
    static constexpr CollectiveType kTypes[] = {CollectiveType::all_reduce, CollectiveType::all_gather,
                                                CollectiveType::all_to_all, CollectiveType::broadcast,
                                                CollectiveType::reduce};
    Operation made = operation(Operation::Kind::collective);
    CollectiveRequest request;
    request.type = pick_of(random_, kTypes);
    request.bytes = 4 * made.bytes;
    request.group = some_npus(static_cast<std::uint32_t>(between(random_, 2, machine_.wafer().npus())));
    made.program = plan_collective(request, machine_.traits());
    made.collective_id = ++number_;
    for (; made.rank < request.group.size(); ++made.rank)
      round.operations.emplace_back(request.group[made.rank], made);
  }
  Random& random_;
  const Machine& machine_;
  std::uint64_t number_ = 0;
};

void run_until_done(std::initializer_list<const Driven*> all) {
  for (int slice = 0; slice < 10'000; ++slice) {
    if (std::all_of(all.begin(), all.end(), [](const Driven* each) { return each->is_done(); })) return;
    sc_core::sc_start(to_sc_time(10'000'000));
  }
  throw std::runtime_error("it does not end");
}

std::vector<std::uint64_t> difference(const std::vector<std::uint64_t>& from,
                                      const std::vector<std::uint64_t>& to) {
  std::vector<std::uint64_t> result(to.size());
  std::transform(to.begin(), to.end(), from.begin(), result.begin(), std::minus<>());
  return result;
}

// Two machines with different pasts; one gets what the other keeps, and both have the same future.
TEST(StateAtRest, IsAllThatTheFutureDependsOn) {
  int compared = 0;
  for (int k = 0; k < random_cases(60, 6); ++k) {
    SCOPED_TRACE("case " + std::to_string(k));
    const TempFolder folder;
    Random random(static_cast<std::uint64_t>(k));
    const RandomPlatform platform = write_random_platform(folder.path(), random);
    const auto found = run_in_child([&]() -> nlohmann::json {
      const config::PlatformSpec spec = config::load_platform(platform.path, {"run.acceleration=off"});
      Driven model("model", spec), other("other", spec);
      RoundMaker rounds(random, model.machine);
      sc_core::sc_start(sc_core::SC_ZERO_TIME);
      for (Driven* const each : {&model, &other})
        for (std::uint64_t round = 0, count = between(random, 1, 3); round < count; ++round) {
          each->begin(rounds.make());
          run_until_done({each});
        }
      nlohmann::json steps = nlohmann::json::array();
      for (int step = 0; step < 6; ++step) {
        // Shortly after the last one ends, when credits are on their way.
        const Round last = rounds.make();
        model.begin(last);
        while (!model.is_done()) sc_core::sc_start(to_sc_time(1'000));
        sc_core::sc_start(to_sc_time(between(random, 1, 40'000)));
        const RestRecord kept = model.rest();
        if (!kept.is_complete) return nullptr;
        if (!kept.is_at_rest) continue;
        other.put_back(kept);
        const RestRecord before = other.rest();
        const Round next = rounds.make();
        for (Driven* const each : {&model, &other}) each->begin(next);
        run_until_done({&model, &other});
        steps.push_back({{"put back", before.values},
                         {"is", kept.values},
                         {"ends", model.ends},
                         {"ends of other", other.ends},
                         {"counts", difference(kept.counts, model.rest().counts)},
                         {"counts of other", difference(before.counts, other.rest().counts)}});
      }
      return steps;
    });
    if (found.is_null()) continue;
    for (const auto& step : found) {
      EXPECT_EQ(step["put back"], step["is"]);
      EXPECT_EQ(step["ends of other"], step["ends"]);
      EXPECT_EQ(step["counts of other"], step["counts"]);
      ++compared;
    }
  }
  EXPECT_GT(compared, kSanitized ? 6 : 100);
}

}  // namespace
}  // namespace wafertlm::test
