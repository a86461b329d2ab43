// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/wire.h"

#include <fmt/core.h>

#include <et_def.pb.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

namespace wafertlm::chakra::wire {
namespace {

using Attribute = ChakraProtoMsg::AttributeProto;

[[noreturn]] void fail(const std::string& text) { throw std::invalid_argument(text); }

/// The value of an integer attribute of any width; nothing if it is of another type.
std::optional<std::uint64_t> integer(const Attribute& attribute) {
  const auto from_signed = [](std::int64_t value) {
    if (value < 0) fail(fmt::format("is negative ({})", value));
    return static_cast<std::uint64_t>(value);
  };
  switch (attribute.value_case()) {
    case Attribute::kInt32Val:
      return from_signed(attribute.int32_val());
    case Attribute::kInt64Val:
      return from_signed(attribute.int64_val());
    case Attribute::kSint32Val:
      return from_signed(attribute.sint32_val());
    case Attribute::kSint64Val:
      return from_signed(attribute.sint64_val());
    case Attribute::kSfixed32Val:
      return from_signed(attribute.sfixed32_val());
    case Attribute::kSfixed64Val:
      return from_signed(attribute.sfixed64_val());
    case Attribute::kUint32Val:
      return attribute.uint32_val();
    case Attribute::kUint64Val:
      return attribute.uint64_val();
    case Attribute::kFixed32Val:
      return attribute.fixed32_val();
    case Attribute::kFixed64Val:
      return attribute.fixed64_val();
    default:
      return std::nullopt;
  }
}

std::uint64_t u64(const Attribute& attribute) {
  const auto value = integer(attribute);
  if (!value) fail("is not an integer");
  return *value;
}

std::uint32_t u32(const Attribute& attribute) {
  const std::uint64_t value = u64(attribute);
  if (value > std::numeric_limits<std::uint32_t>::max())
    fail(fmt::format("does not fit 32 bits ({})", value));
  return static_cast<std::uint32_t>(value);
}

std::vector<std::uint64_t> u64_list(const Attribute& attribute) {
  if (attribute.value_case() != Attribute::kUint64List) fail("is not a list of uint64");
  return {attribute.uint64_list().values().begin(), attribute.uint64_list().values().end()};
}

bool boolean(const Attribute& attribute) {
  if (attribute.value_case() == Attribute::kBoolVal) return attribute.bool_val();
  const auto value = integer(attribute);
  if (!value || *value > 1) fail("is neither a bool nor 0 or 1");
  return *value == 1;
}

const std::string& text(const Attribute& attribute) {
  if (attribute.value_case() != Attribute::kStringVal) fail("is not a string");
  return attribute.string_val();
}

/// The name of a group, or the number that stands for it.
std::string group(const Attribute& attribute) {
  const auto number = integer(attribute);
  return number ? std::to_string(*number) : text(attribute);
}

std::uint64_t checked_duration(std::uint64_t duration_ps) {
  if (duration_ps > kLongestPs) fail("is longer than the 106 days that simulated time can hold");
  return duration_ps;
}

struct Rule {
  std::string_view name;
  void (*read)(const Attribute&, Node&);
};

constexpr std::array<Rule, 18> kRules = {{
    {"is_cpu_op", [](const Attribute& a, Node& n) { n.is_cpu_op = boolean(a); }},
    {"num_ops", [](const Attribute& a, Node& n) { n.num_ops = u64(a); }},
    {"tensor_size", [](const Attribute& a, Node& n) { n.tensor_size = u64(a); }},
    {"comm_type",
     [](const Attribute& a, Node& n) {
       if (n.type != NodeType::CommColl) return;  // converters put other numbers on sends and receives
       const std::uint64_t value = u64(a);
       if (value >= kCollectiveTypes) fail(fmt::format("is not a collective that we know ({})", value));
       n.comm_type = static_cast<CollectiveType>(value);
     }},
    {"comm_size", [](const Attribute& a, Node& n) { n.comm_size = u64(a); }},
    {"comm_src", [](const Attribute& a, Node& n) { n.comm_src = u32(a); }},
    {"comm_dst", [](const Attribute& a, Node& n) { n.comm_dst = u32(a); }},
    {"comm_tag", [](const Attribute& a, Node& n) { n.comm_tag = u32(a); }},
    {"comm_priority", [](const Attribute& a, Node& n) { n.comm_priority = u32(a); }},
    {"pg_name", [](const Attribute& a, Node& n) { n.pg_name = group(a); }},
    {"involved_dim",
     [](const Attribute& a, Node& n) {
       if (a.value_case() != Attribute::kBoolList) fail("is not a list of bools");
       n.involved_dim.assign(a.bool_list().values().begin(), a.bool_list().values().end());
     }},
    {kCommClass, [](const Attribute& a, Node& n) { n.comm_class = text(a); }},
    {kIoStream, [](const Attribute& a, Node& n) { n.io_stream = boolean(a); }},
    {kUnit, [](const Attribute& a, Node& n) { n.unit = u32(a); }},
    {kProducts, [](const Attribute& a, Node& n) { n.products = to_products(u64_list(a)); }},
    {kSendBytes, [](const Attribute& a, Node& n) { n.send_bytes = u64_list(a); }},
    {kReceiveBytes, [](const Attribute& a, Node& n) { n.receive_bytes = u64_list(a); }},
    {kDurationPs, [](const Attribute& a, Node& n) { n.duration_ps = checked_duration(u64(a)); }},
}};

/// Of a node as PyTorch recorded it: where it ran and what called it, which changes no result.
constexpr std::array<std::string_view, 10> kRecorded = {
    "rf_id",  "fw_parent", "seq_id", "scope",          "tid",
    "fw_tid", "op_schema", "stream", "kernel_backend", "kernel_file"};

void read_attributes(const ChakraProtoMsg::Node& message, Node& node, AttributeCounts& unknown) {
  std::array<bool, kRules.size()> seen{};
  for (const Attribute& attribute : message.attr()) {
    std::size_t rule = 0;
    for (; rule < kRules.size(); ++rule) {
      if (attribute.name() != kRules[rule].name) continue;
      try {
        if (seen[rule]) fail("is given twice");
        seen[rule] = true;
        kRules[rule].read(attribute, node);
      } catch (const std::invalid_argument& error) {
        fail("attribute " + attribute.name() + " " + error.what());
      }
      break;
    }
    if (rule == kRules.size() &&
        std::find(kRecorded.begin(), kRecorded.end(), attribute.name()) == kRecorded.end())
      ++unknown[attribute.name()];
  }
}

Attribute& add(ChakraProtoMsg::Node& message, const char* name) {
  Attribute& attribute = *message.add_attr();
  attribute.set_name(name);
  return attribute;
}

void set(const IoText& text, ChakraProtoMsg::IOInfo& info) {
  info.set_values(std::string(text.values));
  info.set_shapes(std::string(text.shapes));
  info.set_types(std::string(text.types));
}

bool known(std::string_view version) { return version == "0.0.4" || version == "1.0.0"; }

}  // namespace

void check_required(const Node& node) {
  const auto require = [&node](bool there, const char* name) {
    if (!there) fail(std::string(to_string(node.type)) + " without the attribute " + name);
  };
  const bool may_stream =
      node.comm_type == CollectiveType::Broadcast || node.comm_type == CollectiveType::Reduce;
  if (node.io_stream && !may_stream)
    fail(std::string(kIoStream) + " is for collectives of type BROADCAST (in) and REDUCE (out)");
  if (node.send_bytes.size() != node.receive_bytes.size())
    fail(fmt::format("{} for {} ranks and {} for {}", kSendBytes, node.send_bytes.size(), kReceiveBytes,
                     node.receive_bytes.size()));
  if (!node.send_bytes.empty() && node.comm_type != CollectiveType::AllToAll)
    fail(std::string(kSendBytes) + " is for collectives of type ALL_TO_ALL");
  switch (node.type) {
    case NodeType::MemLoad:
    case NodeType::MemStore:
      return require(node.tensor_size.has_value(), "tensor_size");
    case NodeType::CommSend:
      require(node.comm_size.has_value(), "comm_size");
      return require(node.comm_dst.has_value(), "comm_dst");
    case NodeType::CommRecv:
      require(node.comm_size.has_value(), "comm_size");
      return require(node.comm_src.has_value(), "comm_src");
    case NodeType::CommColl:
      if (node.is_launch()) return require(node.is_cpu_op, "comm_type");
      if (node.comm_type != CollectiveType::Barrier) require(node.comm_size.has_value(), "comm_size");
      return;
    default:
      return;
  }
}

void from_wire(const ChakraProtoMsg::Node& message, Node& node, AttributeCounts& unknown) {
  node.clear();
  node.id = message.id();
  node.name = message.name();
  if (message.type() == 0) fail("node type INVALID");
  if (message.type() < 0 || static_cast<std::size_t>(message.type()) >= kNodeTypes)
    fail(fmt::format("node type {} is none that we know (1 to 7)", message.type()));
  node.type = static_cast<NodeType>(message.type());
  node.ctrl_deps.assign(message.ctrl_deps().begin(), message.ctrl_deps().end());
  node.data_deps.assign(message.data_deps().begin(), message.data_deps().end());
  if (message.duration_micros() > kLongestPs / kPsPerMicro)
    fail(fmt::format("duration_micros {} is longer than the 106 days that simulated time can hold",
                     message.duration_micros()));
  node.duration_ps = message.duration_micros() * kPsPerMicro;
  read_attributes(message, node, unknown);
  check_required(node);
}

void to_wire(const Node& node, const NodeIo& io, ChakraProtoMsg::Node& message) {
  message.Clear();
  if (!io.inputs.empty()) set(io.inputs, *message.mutable_inputs());
  if (!io.outputs.empty()) set(io.outputs, *message.mutable_outputs());
  message.set_id(node.id);
  message.set_name(node.name);
  message.set_type(static_cast<ChakraProtoMsg::NodeType>(node.type));
  message.mutable_ctrl_deps()->Add(node.ctrl_deps.begin(), node.ctrl_deps.end());
  message.mutable_data_deps()->Add(node.data_deps.begin(), node.data_deps.end());
  const std::uint64_t micros = node.duration_ps / kPsPerMicro;
  const bool whole = node.duration_ps % kPsPerMicro == 0;
  message.set_duration_micros(whole ? micros : micros + 1);
  if (!whole) add(message, kDurationPs).set_uint64_val(node.duration_ps);

  add(message, "is_cpu_op").set_bool_val(node.is_cpu_op);  // always: its default changed in 2024
  if (node.num_ops) add(message, "num_ops").set_uint64_val(*node.num_ops);
  if (node.tensor_size) add(message, "tensor_size").set_uint64_val(*node.tensor_size);
  const auto add_list = [&](const char* name, const std::vector<std::uint64_t>& list) {
    if (!list.empty())
      add(message, name).mutable_uint64_list()->mutable_values()->Add(list.begin(), list.end());
  };
  add_list(kProducts, to_numbers(node.products));
  add_list(kSendBytes, node.send_bytes);
  add_list(kReceiveBytes, node.receive_bytes);
  if (node.comm_type) add(message, "comm_type").set_int64_val(static_cast<std::int64_t>(*node.comm_type));
  if (node.comm_size) {
    if (*node.comm_size > kLongestPs) fail(fmt::format("comm_size {} needs 64 bits", *node.comm_size));
    add(message, "comm_size").set_int64_val(static_cast<std::int64_t>(*node.comm_size));
  }
  if (node.comm_src) add(message, "comm_src").set_uint32_val(*node.comm_src);
  if (node.comm_dst) add(message, "comm_dst").set_uint32_val(*node.comm_dst);
  if (node.comm_tag) add(message, "comm_tag").set_uint32_val(*node.comm_tag);
  if (node.comm_priority) add(message, "comm_priority").set_uint32_val(*node.comm_priority);
  if (!node.pg_name.empty()) add(message, "pg_name").set_string_val(node.pg_name);
  if (!node.involved_dim.empty()) {
    auto* dims = add(message, "involved_dim").mutable_bool_list();
    for (const bool dim : node.involved_dim) dims->add_values(dim);
  }
  if (!node.comm_class.empty()) add(message, kCommClass).set_string_val(node.comm_class);
  if (node.io_stream) add(message, kIoStream).set_bool_val(true);
  if (node.unit != 0) add(message, kUnit).set_uint32_val(node.unit);
}

std::vector<MatrixProduct> to_products(const std::vector<std::uint64_t>& numbers) {
  constexpr std::size_t kPerProduct = 4;
  if (numbers.size() % kPerProduct != 0) fail("is not a list of m, n, k, count for each product");
  if (std::find(numbers.begin(), numbers.end(), std::uint64_t{0}) != numbers.end()) fail("has a 0");
  std::vector<MatrixProduct> products;
  for (std::size_t i = 0; i < numbers.size(); i += kPerProduct)
    products.push_back({numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]});
  return products;
}

std::vector<std::uint64_t> to_numbers(const std::vector<MatrixProduct>& products) {
  std::vector<std::uint64_t> numbers;
  for (const MatrixProduct& product : products)
    numbers.insert(numbers.end(), {product.m, product.n, product.k, product.count});
  return numbers;
}

std::string checked_version(const ChakraProtoMsg::GlobalMetadata& metadata) {
  std::string version = metadata.version();
  if (!version.empty() && !known(version))
    fail("schema version \"" + version + "\" is not supported; 0.0.4 and 1.0.0 are");
  if (!version.empty()) return version;
  // Chakra's converters leave the field empty and write "<PyTorch schema>-chakra.<version>" instead.
  for (const Attribute& attribute : metadata.attr()) {
    if (attribute.name() != "schema") continue;
    version = text(attribute);
    constexpr std::string_view kMark = "-chakra.";
    const std::size_t at = version.find(kMark);
    if (at != std::string::npos && !known(std::string_view(version).substr(at + kMark.size())))
      fail("schema \"" + version + "\" is not supported; Chakra 0.0.4 and 1.0.0 are");
  }
  return version;
}

std::optional<std::uint64_t> declared(const ChakraProtoMsg::GlobalMetadata& metadata, std::string_view name) {
  for (const Attribute& attribute : metadata.attr())
    if (attribute.name() == name) return u64(attribute);
  return std::nullopt;
}

}  // namespace wafertlm::chakra::wire
