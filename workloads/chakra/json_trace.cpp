// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/json_trace.h"

#include <fmt/core.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "tlm/input/file.h"
#include "workloads/chakra/wire.h"

namespace wafertlm::chakra {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;

using Json = nlohmann::json;

[[noreturn]] void fail_key(const std::string& key, const std::string& text) {
  throw std::invalid_argument(key + " " + text);
}

std::uint64_t u64(const Json& value, const std::string& key) {
  if (!value.is_number_unsigned()) fail_key(key, "is not an integer from 0 on");
  return value.get<std::uint64_t>();
}

std::uint32_t u32(const Json& value, const std::string& key) {
  const std::uint64_t number = u64(value, key);
  if (number > std::numeric_limits<std::uint32_t>::max()) fail_key(key, "does not fit 32 bits");
  return static_cast<std::uint32_t>(number);
}

std::string text(const Json& value, const std::string& key) {
  if (!value.is_string()) fail_key(key, "is not a string");
  return value.get<std::string>();
}

/// The name of a group, or the number that stands for it.
std::string group(const Json& value, const std::string& key) {
  return value.is_number() ? value.dump() : text(value, key);
}

bool boolean(const Json& value, const std::string& key) {
  if (!value.is_boolean() && !(value.is_number_unsigned() && value.get<std::uint64_t>() <= 1))
    fail_key(key, "is neither a bool nor 0 or 1");
  return value.is_boolean() ? value.get<bool>() : value.get<std::uint64_t>() == 1;
}

std::vector<std::uint64_t> ids(const Json& value, const std::string& key) {
  if (!value.is_array()) fail_key(key, "is not a list");
  std::vector<std::uint64_t> list;
  for (const Json& entry : value) list.push_back(u64(entry, key));
  return list;
}

NodeType node_type(std::uint64_t number) {
  if (number == 0 || number >= kNodeTypes)
    fail_key("NodeType", fmt::format("{} is none that we know (1 to 7)", number));
  return static_cast<NodeType>(number);
}

using Setter = void (*)(Node& node, const std::string& key, const Json& value);

template <auto member, auto read>
void set(Node& node, const std::string& key, const Json& value) {
  node.*member = read(value, key);
}

void set_duration(Node& node, const std::string& key, const Json& value) {
  const std::uint64_t micros = u64(value, key);
  if (micros > kLongestPs / wire::kPsPerMicro) fail_key(key, "is longer than the 106 days of simulated time");
  if (node.duration_ps != 0 && node.duration_ps != micros * wire::kPsPerMicro)
    fail_key(key, "contradicts the other of runtime and duration_micros");
  node.duration_ps = micros * wire::kPsPerMicro;
}

void set_products(Node& node, const std::string& key, const Json& value) {
  const std::vector<std::uint64_t> numbers = ids(value, key);
  try {
    node.products = wire::to_products(numbers);
  } catch (const std::invalid_argument& error) {
    fail_key(key, error.what());
  }
}

void set_collective(Node& node, const std::string& key, const Json& value) {
  const std::uint64_t number = u64(value, key);
  if (node.type != NodeType::CommColl) return;
  if (number >= kCollectiveTypes) fail_key(key, "is not a collective that we know");
  node.comm_type = static_cast<CollectiveType>(number);
}

void set_dimensions(Node& node, const std::string& key, const Json& value) {
  if (!value.is_array()) fail_key(key, "is not a list");
  for (const Json& dimension : value) {
    if (!dimension.is_boolean()) fail_key(key, "is not a list of bools");
    node.involved_dim.push_back(dimension.get<bool>());
  }
}

/// By key; keys that do not matter to a simulation are not here.
const std::unordered_map<std::string, Setter>& setters() {
  static const std::unordered_map<std::string, Setter> all = {
      {"ctrlDeps", set<&Node::ctrl_deps, ids>},
      {"ctrl_deps", set<&Node::ctrl_deps, ids>},
      {"data_deps", set<&Node::data_deps, ids>},
      {"runtime", set_duration},  // older and newer converters
      {"duration_micros", set_duration},
      {"is_cpu_op", set<&Node::is_cpu_op, boolean>},
      {"num_ops", set<&Node::num_ops, u64>},
      {"tensor_size", set<&Node::tensor_size, u64>},
      {wire::kProducts, set_products},
      {"comm_type", set_collective},
      {"comm_size", set<&Node::comm_size, u64>},
      {"comm_src", set<&Node::comm_src, u32>},
      {"comm_dst", set<&Node::comm_dst, u32>},
      {"comm_tag", set<&Node::comm_tag, u32>},
      {"comm_priority", set<&Node::comm_priority, u32>},
      {"pg_name", set<&Node::pg_name, group>},
      {"involved_dim", set_dimensions},
      {wire::kCommClass, set<&Node::comm_class, text>},
      {wire::kIoStream, set<&Node::io_stream, boolean>},
      {wire::kUnit, set<&Node::unit, u32>},
      {wire::kSendBytes, set<&Node::send_bytes, ids>},
      {wire::kReceiveBytes, set<&Node::receive_bytes, ids>},
  };
  return all;
}

/// Strings, as in `.et` files, or the lists themselves.
JsonIo::Text io_text(const Json& node, const char* which) {
  const auto found = node.find(which);
  if (found == node.end() || !found->is_object()) return {};
  const auto part = [&](const char* key) {
    const auto entry = found->find(key);
    if (entry == found->end()) return std::string();
    return entry->is_string() ? entry->get<std::string>() : entry->dump();
  };
  return {part("values"), part("shapes"), part("types")};
}

Json parse(const std::string& text) {
  std::set<std::string> seen;
  return Json::parse(text, [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1 && !seen.insert(parsed.get<std::string>()).second)
      fail_key(parsed.get<std::string>(), "is given twice");
    return true;
  });
}

}  // namespace

JsonReader::JsonReader(std::string path)
    : path_(std::move(path)), file_(as_trace_error([this] { return open_input(path_); })) {
  rewind();
}

void JsonReader::rewind() {
  file_.clear();
  file_.seekg(0);
  buffer_.clear();
  position_ = before_ = 0;
  first_ = true;
  done_ = false;
  enter_list();
}

/// The next character without taking it; '\0' at the end of the file.
char JsonReader::peek() {
  if (position_ == buffer_.size()) {
    before_ += position_;
    position_ = 0;
    buffer_.resize(kBlock);
    file_.read(buffer_.data(), static_cast<std::streamsize>(kBlock));
    buffer_.resize(static_cast<std::size_t>(file_.gcount()));
    if (buffer_.empty()) return '\0';
  }
  return buffer_[position_];
}

char JsonReader::take() {
  const char c = peek();
  if (position_ == buffer_.size()) fail(before_ + position_, "the file ends inside of the JSON text");
  ++position_;
  return c;
}

void JsonReader::skip_space() {
  for (char c = peek(); position_ < buffer_.size() && (c == ' ' || c == '\n' || c == '\t' || c == '\r');
       c = peek())
    ++position_;
}

void JsonReader::expect(char wanted, const char* where) {
  skip_space();
  const std::uint64_t byte = before_ + position_;
  if (take() != wanted) fail(byte, std::string("expected '") + wanted + "' " + where);
}

void JsonReader::take_value(std::string& text) {
  text.clear();
  skip_space();
  std::string open;  // closing brackets that are due
  for (;;) {
    const char next = peek();
    if (open.empty() && !text.empty() && (next == ',' || next == '}' || next == ']')) return;
    const char c = take();
    text.push_back(c);
    if (c == '"') {
      for (char inside = take(); inside != '"'; inside = take()) {
        text.push_back(inside);
        if (inside == '\\') text.push_back(take());
      }
      text.push_back('"');
    } else if (c == '{' || c == '[') {
      open.push_back(c == '{' ? '}' : ']');
    } else if (c == '}' || c == ']') {
      if (open.empty() || open.back() != c)
        fail(before_ + position_ - 1, std::string("a '") + c + "' too many");
      open.pop_back();
      if (open.empty()) return;
    }
  }
}

std::string JsonReader::take_key() {
  skip_space();
  const std::uint64_t byte = before_ + position_;
  if (peek() != '"') {
    take();  // the end of the file is an error of its own
    fail(byte, "expected a key in quotes");
  }
  std::string key;
  take();
  for (char c = take(); c != '"'; c = take()) key.push_back(c == '\\' ? take() : c);
  expect(':', "after a key");
  return key;
}

/// Up to the first entry of workload_graph.
void JsonReader::enter_list() {
  skip_space();
  if (peek() == '\0' && position_ == buffer_.size()) fail(0, "the file is empty");
  expect('{', "at the start: a trace is an object with the list \"workload_graph\"");
  for (;;) {
    skip_space();
    if (peek() == '}') fail(before_ + position_, "the object ends without the list \"workload_graph\"");
    const std::string key = take_key();
    if (key == "workload_graph") break;
    const std::uint64_t byte = before_ + position_;
    take_value(text_);
    if (!nlohmann::json::accept(text_)) fail(byte, "not a JSON value");
    try {
      if (key == wire::kMemoryBytes) memory_bytes_ = u64(Json::parse(text_), key);
      if (key == wire::kSet) set_ = u64(Json::parse(text_), key);
      if (set_ == 0U) set_.reset();
    } catch (const std::invalid_argument& error) {
      fail(byte, error.what());
    }
    skip_space();
    if (peek() == ',') take();
  }
  expect('[', "after \"workload_graph\"");
}

/// From the end of the list to the end of the file.
void JsonReader::leave_list() {
  for (;;) {
    skip_space();
    const std::uint64_t byte = before_ + position_;
    const char c = take();
    if (c == '}') break;
    if (c != ',') fail(byte, "expected ',' or '}' after a value");
    if (take_key() == "workload_graph") fail(byte, "a second list \"workload_graph\"");
    const std::uint64_t value = before_ + position_;
    take_value(text_);
    if (!nlohmann::json::accept(text_)) fail(value, "not a JSON value");
  }
  skip_space();
  if (peek(); position_ < buffer_.size()) fail(before_ + position_, "the file goes on after its object");
  done_ = true;
}

bool JsonReader::next(Node& node) {
  if (done_) return false;
  skip_space();
  if (peek() == ']') {
    take();
    leave_list();
    return false;
  }
  if (!first_) expect(',', "between two nodes");
  first_ = false;
  skip_space();
  const std::uint64_t byte = before_ + position_;
  take_value(text_);
  try {
    from_json(text_, node, io_);
  } catch (const std::invalid_argument& error) {
    fail(byte, (node.type == NodeType::Invalid ? "" : describe(node) + ": ") + error.what());
  }
  return true;
}

void JsonReader::fail(std::uint64_t byte, const std::string& text) const {
  throw TraceError(fmt::format("{}: byte {}: {}", path_, byte, text));
}

void from_json(const std::string& text_of_node, Node& node, JsonIo& io) {
  node.clear();
  Json json;
  try {
    json = parse(text_of_node);
  } catch (const Json::exception& error) {
    throw std::invalid_argument(json_problem(text_of_node, 0, error.what()).why);
  }
  if (!json.is_object()) throw std::invalid_argument("a node is an object");
  for (const char* key : {"Id", "NodeType"})
    if (!json.contains(key)) throw std::invalid_argument(std::string("a node without ") + key);
  node.id = u64(json["Id"], "Id");
  if (json.contains("Name")) node.name = text(json["Name"], "Name");
  node.type = node_type(u64(json["NodeType"], "NodeType"));
  io = {io_text(json, "inputs"), io_text(json, "outputs")};
  for (const auto& [key, value] : json.items())
    if (const auto found = setters().find(key); found != setters().end()) found->second(node, key, value);
  if (const auto exact = json.find(wire::kDurationPs); exact != json.end()) {
    node.duration_ps = u64(*exact, wire::kDurationPs);
    if (node.duration_ps > kLongestPs)
      fail_key(wire::kDurationPs, "is longer than the 106 days of simulated time");
  }
  wire::check_required(node);
}

std::string to_json(const Node& node, const NodeIo& io) {
  nlohmann::ordered_json json = {{"Id", node.id},
                                 {"Name", node.name},
                                 {"NodeType", static_cast<int>(node.type)},
                                 {"ctrlDeps", node.ctrl_deps},
                                 {"data_deps", node.data_deps},
                                 {"runtime", (node.duration_ps + wire::kPsPerMicro - 1) / wire::kPsPerMicro},
                                 {"is_cpu_op", node.is_cpu_op}};
  if (node.duration_ps % wire::kPsPerMicro != 0) json[wire::kDurationPs] = node.duration_ps;
  if (node.num_ops) json["num_ops"] = *node.num_ops;
  if (node.tensor_size) json["tensor_size"] = *node.tensor_size;
  if (!node.products.empty()) json[wire::kProducts] = wire::to_numbers(node.products);
  if (node.comm_type) json["comm_type"] = static_cast<int>(*node.comm_type);
  if (node.comm_size) json["comm_size"] = *node.comm_size;
  if (node.comm_src) json["comm_src"] = *node.comm_src;
  if (node.comm_dst) json["comm_dst"] = *node.comm_dst;
  if (node.comm_tag) json["comm_tag"] = *node.comm_tag;
  if (node.comm_priority) json["comm_priority"] = *node.comm_priority;
  if (!node.pg_name.empty()) json["pg_name"] = node.pg_name;
  if (!node.involved_dim.empty()) json["involved_dim"] = node.involved_dim;
  if (!node.comm_class.empty()) json[wire::kCommClass] = node.comm_class;
  if (node.io_stream) json[wire::kIoStream] = true;
  if (node.unit != 0) json[wire::kUnit] = node.unit;
  if (!node.send_bytes.empty()) json[wire::kSendBytes] = node.send_bytes;
  if (!node.receive_bytes.empty()) json[wire::kReceiveBytes] = node.receive_bytes;
  for (const auto& [key, text] : {std::pair{"inputs", io.inputs}, std::pair{"outputs", io.outputs}})
    if (!text.empty()) json[key] = {{"values", text.values}, {"shapes", text.shapes}, {"types", text.types}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace wafertlm::chakra
