// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "workloads/chakra/group_name.h"
#include "workloads/pytorch/decimal.h"
#include "workloads/pytorch/host_trace.h"
#include "workloads/pytorch/process_groups.h"

namespace wafertlm::pytorch {
namespace {

using Json = nlohmann::json;

Json parsed(const std::string& text) {
  if (text.empty()) return Json::array();
  Json json = Json::parse(text, nullptr, false);
  // From schema 1.0.2 on {values, shapes, types}, before that the values themselves.
  if (json.is_object()) return json.value("values", Json::array());
  return json.is_array() ? json : Json::array();
}

/// A tensor is [tensor, storage, offset, elements, bytes of an element, 'device'].
bool is_tensor(const Json& value) {
  constexpr std::size_t kTensorSize = 6;
  if (!value.is_array() || value.size() != kTensorSize || !value.back().is_string()) return false;
  return std::all_of(value.begin(), value.end() - 1, [](const Json& part) { return part.is_number(); });
}

std::uint64_t tensor_bytes(const Json& value) {
  constexpr std::size_t kElements = 3, kElementBytes = 4;
  if (is_tensor(value)) {
    std::uint64_t bytes = 0;
    if (!value[kElements].is_number_unsigned() || !value[kElementBytes].is_number_unsigned() ||
        __builtin_mul_overflow(value[kElements].get<std::uint64_t>(),
                               value[kElementBytes].get<std::uint64_t>(), &bytes))
      throw std::invalid_argument("a tensor of " + value.dump());
    return bytes;
  }
  std::uint64_t sum = 0;
  if (value.is_array())
    for (const Json& part : value)
      if (__builtin_add_overflow(sum, tensor_bytes(part), &sum))
        throw std::invalid_argument("tensors of more than 2^64 bytes");
  return sum;
}

bool holds_tensor(const Json& value) {
  return is_tensor(value) || (value.is_array() && std::any_of(value.begin(), value.end(), holds_tensor));
}

std::vector<std::uint64_t> split(const Json& values, std::size_t at) {
  std::vector<std::uint64_t> result;
  if (at < values.size() && values[at].is_array())
    for (const Json& part : values[at])
      if (part.is_number_unsigned()) result.push_back(part.get<std::uint64_t>());
  return result;
}

std::uint64_t number_at(const Json& values, std::size_t at) {
  return at < values.size() && values[at].is_number_unsigned() ? values[at].get<std::uint64_t>() : 0;
}

/// The process group: a tuple [name, description], or the number that older traces have in its place.
std::string group_name(const Json& value) {
  const Json& name = value.is_array() && !value.empty() ? value.front() : value;
  if (name.is_string()) return chakra::plain_group_name(name.get<std::string>());
  return name.is_number() && name != 0 ? "#" + name.dump() : "";
}

}  // namespace

/// The inputs are [tensors,] sequence, group, rank, name, in_split, out_split [, start, stride, size].
Communication read_communication(const std::string& inputs, const std::string& outputs,
                                 const std::map<std::string, std::string>& attributes) {
  const Json values = parsed(inputs);
  const auto text = std::find_if(values.begin(), values.end(), [](const Json& v) { return v.is_string(); });
  Communication found;
  if (text == values.end()) return found;
  const auto name = static_cast<std::size_t>(text - values.begin());
  found.name = text->get<std::string>();
  if (name >= 1 && values[name - 1].is_number_unsigned() && values[name - 1] <= 0xFFFFFFFFU)
    found.peer = values[name - 1].get<std::uint32_t>();
  if (name >= 2) found.group = group_name(values[name - 2]);
  if (name >= 3 && values[name - 3].is_number_unsigned())
    found.sequence = values[name - 3].get<std::uint64_t>();
  const Json out = parsed(outputs);
  if (name >= 4) found.in_bytes = tensor_bytes(values[name - 4]);
  found.out_bytes = tensor_bytes(out);
  found.has_size = holds_tensor(out) || (name >= 4 && holds_tensor(values[name - 4]));
  found.in_split = split(values, name + 1);
  found.out_split = split(values, name + 2);
  found.group_size =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(number_at(values, name + 5), 1U << 20));
  found.ranks = strided_ranks(number_at(values, name + 3), number_at(values, name + 4), found.group_size);
  if (const auto size = attributes.find("pg_size"); size != attributes.end() && found.group_size == 0)
    found.group_size = whole_number_32(size->second);
  return found;
}

}  // namespace wafertlm::pytorch
