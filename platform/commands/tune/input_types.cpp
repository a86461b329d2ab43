// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/tune/input_types.h"

#include <algorithm>
#include <ostream>
#include <set>
#include <stdexcept>

#include "platform/describe/document.h"
#include "platform/describe/value_types.h"
#include "platform/describe/yaml_file.h"
#include "platform/run/table_file.h"
#include "platform/spec/ranges.h"
#include "platform/text/suggest.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm::tune {
namespace {

using namespace config;
using backends::Action;
using backends::Backend;
using backends::CostRange;

TypePtr<TimePs> long_time() { return whole_quantity(time_dimension(), "0 ps", "1000 s"); }

std::shared_ptr<const Struct<DeclaredCost>> cost_range_type() {
  using C = DeclaredCost;
  auto type = std::make_shared<Struct<C>>("declared_cost");
  type->required("type", &C::type, collective_type_type(), "Of the collective")
      .optional("up_to", at(&C::range, &CostRange::up_to_bytes),
                or_none(any_size("0 B", "1 PB"), ~std::uint64_t{0}), "The largest size; left out: all")
      .required("alpha", at(&C::range, &CostRange::alpha_ps), any_time(), "Time without bytes")
      .required("bandwidth", at(&C::range, &CostRange::bytes_per_s), any_bandwidth(),
                "Time = alpha + size / bandwidth");
  return type;
}

TypePtr<std::vector<std::string>> simulated_algorithms() {
  std::vector<std::string> names;
  for (const Algorithm& each : algorithms()) names.push_back(each.name);
  return list_of<std::string>(one_of(names), 0, 64);
}

void check_backend(const BackendSpec& spec, const Check& check) {
  if (!spec.algorithms.empty() && !spec.costs.empty())
    check.fail({&spec.costs}, "a backend has either 'algorithms', which are simulated, or declared 'costs'");
  if (spec.algorithms.empty() && spec.launch_ps != 0)
    check.fail({&spec.launch_ps}, "has no effect without 'algorithms'");
  if (std::set<std::string>(spec.algorithms.begin(), spec.algorithms.end()).size() != spec.algorithms.size())
    check.fail({&spec.algorithms}, "an algorithm is named twice");
  Backend backend = spec.backend;
  for (const DeclaredCost& cost : spec.costs) backend.costs[cost.type].push_back(cost.range);
  try {
    backends::require_valid(backend);
  } catch (const std::invalid_argument& error) {
    check.fail({&spec.costs}, error.what());
  }
}

std::shared_ptr<const Struct<BackendSpec>> backend_type() {
  using B = BackendSpec;
  using backends::Progress;
  auto type = std::make_shared<Struct<B>>("backend");
  type->required("name", at(&B::backend, &Backend::name), word(), "Name")
      .optional("engine", at(&B::backend, &Backend::engine), or_none(word(), std::string()),
                "Progress engine; backends of one name share it. Left out: one of its own")
      .optional("progress", at(&B::backend, &Backend::progress), one_of<Progress>({"stream", "host"}),
                "What moves operations on: the device's stream, or calls of the host")
      .optional("barrier", at(&B::backend, &Backend::barrier_ps), any_time(), "Before each operation")
      .when(at(&B::backend, &Backend::progress), Progress::host)
      .optional("algorithms", &B::algorithms, simulated_algorithms(), "Simulated on the platform")
      .optional("launch", &B::launch_ps, any_time(), "Added to each simulated time")
      .optional("costs", &B::costs, list_of<DeclaredCost>(cost_range_type(), 0, 1000), "Declared times")
      .check(check_backend);
  return type;
}

std::shared_ptr<const Struct<MeasureSpec>> measure_type() {
  using M = MeasureSpec;
  auto type = std::make_shared<Struct<M>>("measure");
  type->required("types", &M::types, list_of<CollectiveType>(collective_type_type(), 1, 9), "Collectives")
      .optional("sizes", &M::sizes, text(), "One, a list, or FROM:TO:FACTOR")
      .optional("npus", &M::npus, text(), "The group: 0-4,10; left out: all")
      .optional("parallelism", &M::parallelism, text(), "MP(2)-DP(5)-PP(2): all groups of 'class' at once")
      .optional("class", &M::traffic_class, or_none(one_of({"mp", "dp", "pp", "all"}), std::string()),
                "Whose groups")
      .when_given(&M::parallelism)
      .check([](const M& spec, const Check& check) {
        try {
          parse_sizes(spec.sizes);
        } catch (const std::invalid_argument& error) {
          check.fail({&spec.sizes}, error.what());
        }
        if (!spec.npus.empty() && !spec.parallelism.empty())
          check.fail({&spec.npus}, "the groups come from 'parallelism'; leave it out");
        if (!spec.parallelism.empty() && spec.traffic_class.empty())
          check.fail({&spec.parallelism}, "needs 'class': mp, dp, pp or all");
      });
  return type;
}

std::shared_ptr<const Struct<SequenceSpec>> sequence_type() {
  using S = SequenceSpec;
  const auto is_operation = [](const S& spec) { return spec.type.has_value(); };
  auto type = std::make_shared<Struct<S>>("step");
  type->optional("compute", &S::compute_ps, long_time(), "A computation that takes so long")
      .optional("type", &S::type, maybe<CollectiveType>(collective_type_type()), "A collective")
      .optional("size", &S::bytes, any_size("0 B", "1 PB"), "Bytes per rank (the full vector)")
      .when_true(is_operation, "'type'")
      .optional("npus", &S::npus, text(), "The group that was measured; left out: all")
      .when_true(is_operation, "'type'")
      .optional("call", &S::call, one_of<Action::Call>({"ordered", "asynchronous", "blocking"}),
                "ordered: computations behind it wait for it; asynchronous: those behind the next wait; "
                "blocking: the host stands still")
      .when_true(is_operation, "'type'")
      .optional("wait", &S::wait, boolean(), "For all asynchronous operations so far")
      .optional("count", &S::count, integer<std::uint32_t>(1, 100'000), "So many times")
      .check([](const S& spec, const Check& check) {
        const int forms = (spec.compute_ps != 0 ? 1 : 0) + (spec.type ? 1 : 0) + (spec.wait ? 1 : 0);
        if (forms != 1) check.fail({&spec.count}, "a step is one of 'compute', 'type' and 'wait: true'");
      });
  return type;
}

std::shared_ptr<const Struct<OperationSpec>> operation_type() {
  using O = OperationSpec;
  auto type = std::make_shared<Struct<O>>("operation");
  type->required("name", &O::name, word(), "Name")
      .required("backend", &O::backend, word(), "That does it")
      .required("ranks", &O::ranks, list_of<std::uint32_t>(integer<std::uint32_t>(0, 65'535), 1, 65'536),
                "That must all join it");
  return type;
}

std::shared_ptr<const Struct<OrderSpec>> order_type() {
  using O = OrderSpec;
  auto type = std::make_shared<Struct<O>>("order");
  type->required("rank", &O::rank, integer<std::uint32_t>(0, 65'535), "Rank")
      .required("issues", &O::issues, list_of<std::string>(word(), 1, 100'000), "Operations, in its order")
      .optional("blocking", &O::blocking, list_of<std::string>(word(), 0, 100'000),
                "Operations in which the rank stands still until they are done");
  return type;
}

void require_known(const std::string& name, const std::vector<std::string>& names, const std::string& what,
                   const Check& check) {
  if (std::find(names.begin(), names.end(), name) == names.end())
    check.fail({&name}, "there is no " + what + " '" + name + "'" + suggestion(name, names, "there are"));
}

template <class List, class Name>
std::vector<std::string> distinct_names(const List& list, const Name& name_of, const Check& check) {
  std::vector<std::string> names;
  for (const auto& each : list) {
    const std::string& name = name_of(each);
    if (std::find(names.begin(), names.end(), name) != names.end())
      check.fail({&name}, "'" + name + "' is there already");
    names.push_back(name);
  }
  return names;
}

void check_orders(const TuneSpec& spec, const Check& check) {
  if (spec.operations.empty() != spec.orders.empty())
    check.fail({&spec.operations, &spec.orders}, "'operations' and 'orders' go together");
  const auto known = distinct_names(
      spec.backends, [](const BackendSpec& of) -> const std::string& { return of.backend.name; }, check);
  const auto operations = distinct_names(
      spec.operations, [](const OperationSpec& of) -> const std::string& { return of.name; }, check);
  for (const OperationSpec& each : spec.operations) require_known(each.backend, known, "backend", check);
  std::set<std::uint32_t> ranks;
  for (const OrderSpec& order : spec.orders) {
    if (!ranks.insert(order.rank).second) check.fail({&order.rank}, "the rank is there already");
    for (const std::string& issue : order.issues) require_known(issue, operations, "operation", check);
    for (const std::string& each : order.blocking) require_known(each, order.issues, "issue", check);
  }
  try {
    backends::require_valid(spec.issue_plan());
  } catch (const std::invalid_argument& error) {
    check.fail({&spec.orders}, error.what());
  }
}

void check_tune(const TuneSpec& spec, const Check& check) {
  check_orders(spec, check);
  const bool simulated = spec.is_simulated();
  if (simulated && spec.platform.empty())
    check.fail({&spec.backends}, "'algorithms' are simulated: name a 'platform'");
  if (!simulated && !spec.platform.empty())
    check.fail({&spec.platform}, "has no effect without a backend with 'algorithms'");
  if (simulated && spec.measure.empty())
    check.fail({&spec.backends}, "'algorithms' are simulated: say what to 'measure'");
  if (!simulated && !spec.measure.empty())
    check.fail({&spec.measure}, "has no effect without a backend with 'algorithms'");
  if (!spec.platform.empty() && !is_readable_file(spec.platform))
    check.fail({&spec.platform}, "there is no file {}{}", quoted(spec.platform), nearest_file(spec.platform));
  if (spec.sequence.empty() && (spec.change_ps != 0 || spec.repeat != 1))
    check.fail({&spec.change_ps, &spec.repeat}, "has no effect without 'sequence'");
  if (spec.sequence.empty() && spec.measure.empty() && spec.operations.empty())
    check.fail({&spec.backends},
               "nothing to do: give 'measure', a 'sequence', or 'operations' with 'orders'");
  std::uint64_t steps = 0;
  for (const SequenceSpec& each : spec.sequence) steps += each.count;
  if (steps * spec.repeat > 1'000'000)
    check.fail({&spec.repeat}, "the sequence has more than a million steps");
}

}  // namespace

std::shared_ptr<const Struct<TuneSpec>> tune_type() {
  using T = TuneSpec;
  static const auto type = [] {
    auto made = std::make_shared<Struct<T>>("tune");
    made->required("tune", &T::name, text(), "Name")
        .optional("platform", &T::platform, file_path("a platform", "platforms"),
                  "On which algorithms are simulated")
        .required("backends", &T::backends, list_of<BackendSpec>(backend_type(), 1, 64),
                  "Communication backends")
        .optional("measure", &T::measure, list_of<MeasureSpec>(measure_type(), 0, 100), "What is simulated")
        .optional("change", &T::change_ps, any_time(), "Price of another backend than the operation before")
        .optional("sequence", &T::sequence, list_of<SequenceSpec>(sequence_type(), 0, 10'000),
                  "What every rank issues, in this order")
        .optional("repeat", &T::repeat, integer<std::uint32_t>(1, 100'000), "The sequence so many times")
        .optional("operations", &T::operations, list_of<OperationSpec>(operation_type(), 0, 100'000),
                  "Looked at for deadlocks")
        .optional("orders", &T::orders, list_of<OrderSpec>(order_type(), 0, 65'536), "What each rank issues")
        .check(check_tune);
    return made;
  }();
  return type;
}

TuneSpec load_tune(const std::string& path) {
  const Node root = load_document(path, "tune", "configs/studies/tune_mesh_5x4.yaml");
  Origins origins;
  return tune_type()->read(Reader(root, "", origins));
}

FileKind tune_file_kind() {
  return {tune_type().get(), "tune", "communication backends, and what to measure or to schedule on them",
          [](const CheckRequest& request, std::ostream& out) {
            out << check_line("tune", load_tune(request.file).name);
          }};
}

}  // namespace wafertlm::tune
