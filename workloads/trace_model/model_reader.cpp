// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "tlm/input/file.h"
#include "workloads/chakra/trace_error.h"
#include "workloads/chakra/validate.h"
#include "workloads/trace_model/model_file.h"

namespace wafertlm::trace_model {
namespace {

using ReadJson = nlohmann::json;
using chakra::NodeType;

/// A value and its place, for messages.
class JsonPlace {
 public:
  JsonPlace(const ReadJson& json, std::string path) : json_(json), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& why) const { throw chakra::TraceError(path_ + ": " + why); }

  void allow(std::initializer_list<const char*> keys) const {
    if (!json_.is_object()) fail("must be an object");
    for (const auto& [key, value] : json_.items())
      if (std::none_of(keys.begin(), keys.end(),
                       [&name = key](const char* known) { return name == known; })) {
        std::string all;
        for (const char* known : keys) all += (all.empty() ? "" : ", ") + std::string(known);
        fail("unknown key \"" + key + "\"; there are " + all);
      }
  }
  bool has(const char* key) const { return json_.contains(key); }
  JsonPlace at(const char* key) const {
    if (!has(key)) fail(std::string("\"") + key + "\" is missing");
    return {json_[key], path_ + "." + key};
  }
  std::vector<JsonPlace> list() const {
    if (!json_.is_array()) fail("must be a list");
    std::vector<JsonPlace> all;
    for (std::size_t i = 0; i < json_.size(); ++i)
      all.emplace_back(json_[i], path_ + "[" + std::to_string(i) + "]");
    return all;
  }
  bool is_list() const { return json_.is_array(); }
  std::uint64_t number(std::uint64_t least, std::uint64_t most) const {
    if (!json_.is_number_unsigned()) fail("must be a whole number");
    const auto value = json_.get<std::uint64_t>();
    if (value < least || value > most)
      fail("must be from " + std::to_string(least) + " to " + std::to_string(most));
    return value;
  }
  std::uint32_t small(std::uint64_t least = 0,
                      std::uint64_t most = std::numeric_limits<std::uint32_t>::max()) const {
    return static_cast<std::uint32_t>(number(least, most));
  }
  double real(double least, double most) const {
    if (!json_.is_number()) fail("must be a number");
    const auto value = json_.get<double>();
    if (!(value >= least && value <= most)) fail("is beyond what is possible");
    return value;
  }
  bool truth() const {
    if (!json_.is_boolean()) fail("must be true or false");
    return json_.get<bool>();
  }
  std::string text() const {
    if (!json_.is_string()) fail("must be a text");
    return json_.get<std::string>();
  }
  /// The value of an enumeration of `count` that has this name.
  template <typename Enumeration>
  Enumeration named(std::size_t count) const {
    const std::string name = text();
    for (std::size_t i = 0; i < count; ++i)
      if (name == chakra::to_string(static_cast<Enumeration>(i))) return static_cast<Enumeration>(i);
    fail("no such type: " + name);
  }

 private:
  const ReadJson& json_;
  std::string path_;
};

Kind read_kind(const JsonPlace& at, std::size_t families, std::uint32_t ranks) {
  at.allow({"type", "collective", "cpu", "delay", "io_stream", "unit", "traffic", "family", "nth", "peer",
            "lane", "priority", "dims"});
  Kind kind;
  kind.type = at.at("type").named<NodeType>(chakra::kNodeTypes);
  if (kind.type == NodeType::Invalid) at.at("type").fail("no such type: INVALID");
  if (at.has("collective"))
    kind.collective = at.at("collective").named<chakra::CollectiveType>(chakra::kCollectiveTypes);
  if (kind.collective && kind.type != NodeType::CommColl) at.fail("only a COMM_COLL is a collective");
  if (at.has("cpu")) kind.cpu = at.at("cpu").truth();
  if (at.has("delay")) kind.delay = at.at("delay").truth();
  if (at.has("io_stream")) kind.io_stream = at.at("io_stream").truth();
  if (at.has("unit")) kind.unit = at.at("unit").small();
  if (at.has("traffic")) kind.traffic_class = at.at("traffic").text();
  if (at.has("nth")) kind.nth = at.at("nth").small();
  if (kind.collective) {
    if (families == 0) at.fail("there are no families of groups");
    kind.family = static_cast<std::int32_t>(at.at("family").number(0, families - 1));
  }
  if (kind.type == NodeType::CommSend || kind.type == NodeType::CommRecv)
    kind.peer = at.at("peer").small(0, ranks - 1);
  if (at.has("lane")) kind.lane = at.at("lane").small();
  if (at.has("priority")) kind.priority = at.at("priority").small();
  if (at.has("dims"))
    for (const JsonPlace& each : at.at("dims").list()) kind.dims.push_back(each.truth());
  return kind;
}

Family read_family(const JsonPlace& at, std::uint32_t ranks) {
  at.allow({"size", "stride", "ranks"});
  Family family;
  if (!at.has("ranks")) {
    const std::uint32_t size = at.at("size").small(2, ranks), stride = at.at("stride").small(1, ranks);
    if (ranks % (std::uint64_t{size} * stride) != 0) at.fail("does not divide the ranks");
    return regular_family(ranks, size, stride);
  }
  for (const JsonPlace& group : at.at("ranks").list()) {
    std::set<std::uint32_t> known;
    auto& members = family.emplace_back();
    for (const JsonPlace& rank : group.list()) {
      members.push_back(rank.small(0, ranks - 1));
      if (!known.insert(members.back()).second) rank.fail("is there twice");
    }
    if (members.empty()) group.fail("is empty");
  }
  if (family.empty()) at.fail("is empty");
  return family;
}

std::vector<MatrixProduct> read_value(const JsonPlace& at, const std::vector<MatrixProduct>*) {
  std::vector<MatrixProduct> products;
  for (const JsonPlace& each : at.list()) {
    const std::vector<JsonPlace> parts = each.list();
    if (parts.size() != 4) each.fail("must be [m, n, k, count]");
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
    products.push_back({parts[0].number(1, kMost), parts[1].number(1, kMost), parts[2].number(1, kMost),
                        parts[3].number(1, kMost)});
  }
  return products;
}
std::uint64_t read_value(const JsonPlace& at, const std::uint64_t*) {
  return at.number(0, std::uint64_t{1} << 62U);
}

template <typename Value>
void read_runs(const JsonPlace& slot, const char* key, Runs<Value>& runs) {
  if (!slot.has(key)) return;
  for (const JsonPlace& each : slot.at(key).list()) {
    const std::vector<JsonPlace> pair = each.list();
    if (pair.size() != 2) each.fail("must be [value, times]");
    const Value* const type = nullptr;
    runs.emplace_back(read_value(pair[0], type), pair[1].small(1));
  }
  if (runs.empty()) slot.at(key).fail("is empty");
}

Slot read_slot(const JsonPlace& at, std::size_t kinds) {
  at.allow({"kind", "after", "ps", "spread", "ranks", "bytes", "operations", "touched", "products"});
  Slot slot;
  slot.kind = at.at("kind").small(0, kinds - 1);
  if (at.has("after"))
    for (const JsonPlace& each : at.at("after").list()) {
      const std::vector<JsonPlace> pair = each.list();
      if (pair.empty() || pair.size() > 2) each.fail("must be [kind] or [kind, how many before]");
      slot.after.push_back(
          {pair[0].small(0, kinds - 1), pair.size() == 2 ? pair[1].small(1) : Reference::kOpen});
    }
  if (at.has("ps"))
    for (const JsonPlace& each : at.at("ps").list())
      slot.durations.stretches_ps.push_back(each.number(0, chakra::kLongestPs));
  if (at.has("spread"))
    for (const JsonPlace& each : at.at("spread").list()) slot.durations.spread.push_back(each.real(0, 1e9));
  if (at.has("ranks"))
    for (const JsonPlace& each : at.at("ranks").list()) slot.durations.ranks.push_back(each.real(0, 1e9));
  read_runs(at, "bytes", slot.bytes);
  for (const auto& [bytes, times] : slot.bytes)
    if (bytes > chakra::kMaxBytes) at.at("bytes").fail("more than 2^50 B");
  read_runs(at, "operations", slot.operations);
  read_runs(at, "touched", slot.touched);
  read_runs(at, "products", slot.products);
  return slot;
}

void read_steps(const JsonPlace& at, std::size_t kinds, int depth, Behaviour& behaviour,
                std::vector<Step>& steps) {
  constexpr int kDeepest = 50;
  if (depth > kDeepest) at.fail("more than 50 loops within each other");
  for (const JsonPlace& each : at.list()) {
    Step& step = steps.emplace_back();
    if (!each.has("times")) {
      step.slot = static_cast<std::uint32_t>(behaviour.slots.size());
      behaviour.slots.push_back(read_slot(each, kinds));
      continue;
    }
    each.allow({"times", "layers", "of"});
    step.times = each.at("times").small(1);
    if (each.has("layers")) step.layers = each.at("layers").small(1);
    read_steps(each.at("of"), kinds, depth + 1, behaviour, step.body);
    if (step.body.empty()) each.fail("an empty loop");
  }
}

Behaviour read_behaviour(const JsonPlace& at, std::size_t kinds, std::uint32_t ranks,
                         std::set<std::uint32_t>& known) {
  constexpr double kMostNodes = 1e8;
  at.allow({"ranks", "pace", "steps", "side_nodes", "sides"});
  Behaviour behaviour;
  for (const JsonPlace& each : at.at("ranks").list()) {
    std::uint32_t first = 0, last = 0;
    if (each.is_list()) {
      const std::vector<JsonPlace> pair = each.list();
      if (pair.size() != 2) each.fail("must be a rank or [first, last]");
      first = pair[0].small(0, ranks - 1);
      last = pair[1].small(first, ranks - 1);
    } else {
      first = last = each.small(0, ranks - 1);
    }
    for (std::uint32_t rank = first; rank <= last; ++rank) {
      if (!known.insert(rank).second) each.fail("rank " + std::to_string(rank) + " is there twice");
      behaviour.ranks.push_back(rank);
    }
  }
  if (behaviour.ranks.empty()) at.fail("has no ranks");
  if (at.has("pace")) {
    for (const JsonPlace& each : at.at("pace").list()) behaviour.pace.push_back(each.real(1e-6, 1e6));
    if (behaviour.pace.size() != behaviour.ranks.size())
      at.at("pace").fail("must have a number for each rank");
  }
  read_steps(at.at("steps"), kinds, 0, behaviour, behaviour.steps);
  if (float_length(behaviour.steps) > kMostNodes) at.at("steps").fail("more than 10^8 nodes");
  const std::uint64_t length = trace_model::length(behaviour.steps);
  for (const JsonPlace& each : at.at("side_nodes").list())
    behaviour.side_slots.push_back(read_slot(each, kinds));
  std::uint64_t place = 0, sides = 0;
  for (const JsonPlace& each : at.at("sides").list()) {
    const std::vector<JsonPlace> parts = each.list();
    if (parts.size() != 3) each.fail("must be [skip, side node, times]");
    if (behaviour.side_slots.empty()) each.fail("there are no side nodes");
    behaviour.sides.push_back(
        {parts[0].small(), parts[1].small(0, behaviour.side_slots.size() - 1), parts[2].small(1)});
    place += std::uint64_t{behaviour.sides.back().skip} * behaviour.sides.back().times;
    sides += behaviour.sides.back().times;
    if (place > length) each.fail("comes behind the end of the steps");
    if (static_cast<double>(sides) > kMostNodes) each.fail("more than 10^8 nodes");
  }
  return behaviour;
}

}  // namespace

Model from_json(const std::string& text, const std::string& where) {
  ReadJson json;
  try {
    json = ReadJson::parse(text);
  } catch (const ReadJson::parse_error& error) {
    const JsonProblem problem = json_problem(text, error.byte, error.what());
    throw chakra::TraceError(fmt::format("{}:{}:{}: {}", where, problem.line, problem.column, problem.why));
  } catch (const ReadJson::exception& error) {
    throw chakra::TraceError(where + ": " + json_problem(text, 0, error.what()).why);
  }
  const JsonPlace at(json, where);
  at.allow({"trace_model", "ranks", "bound", "grid_ps", "layers", "layer_nodes", "kinds", "families",
            "behaviours"});
  at.at("trace_model").number(1, 1);
  Model model;
  model.ranks = at.at("ranks").small(1, 1'000'000);
  model.bound = at.at("bound").real(0, 0.5);
  if (at.has("grid_ps")) model.grid_ps = at.at("grid_ps").number(1, 1'000'000);
  model.layers = at.at("layers").small();
  model.layer_nodes = at.at("layer_nodes").small();
  for (const JsonPlace& each : at.at("families").list())
    model.families.push_back(read_family(each, model.ranks));
  for (const JsonPlace& each : at.at("kinds").list())
    model.kinds.push_back(read_kind(each, model.families.size(), model.ranks));
  if (model.kinds.empty()) at.at("kinds").fail("is empty");
  std::set<std::uint32_t> known;
  for (const JsonPlace& each : at.at("behaviours").list())
    model.behaviours.push_back(read_behaviour(each, model.kinds.size(), model.ranks, known));
  for (std::uint32_t rank = 0; rank < model.ranks; ++rank)
    if (known.count(rank) == 0) at.at("behaviours").fail("rank " + std::to_string(rank) + " is missing");
  return model;
}

}  // namespace wafertlm::trace_model
