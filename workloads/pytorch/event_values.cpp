// SPDX-License-Identifier: Apache-2.0
#include "workloads/pytorch/event_values.h"

#include <stdexcept>
#include <unordered_map>

#include "workloads/chakra/group_name.h"
#include "workloads/pytorch/annotation.h"
#include "workloads/pytorch/decimal.h"
#include "workloads/pytorch/process_groups.h"

namespace wafertlm::pytorch {
namespace {

const std::unordered_map<std::string_view, Field> kEventFields = {
    {"ph", Field::phase}, {"cat", Field::category}, {"name", Field::name},   {"pid", Field::pid},
    {"tid", Field::tid},  {"ts", Field::start},     {"dur", Field::duration}};
const std::unordered_map<std::string_view, Field> kArguments = {
    {"External id", Field::external_id},
    {"external id", Field::external_id},
    {"Record function id", Field::function_id},
    {"correlation", Field::correlation},
    {"device", Field::device},
    {"stream", Field::stream},
    {"bytes", Field::bytes},
    {"Collective name", Field::collective},
    {"In msg nelems", Field::in_elements},
    {"Out msg nelems", Field::out_elements},
    {"dtype", Field::dtype},
    {"Process Group Name", Field::group},
    {"Group size", Field::group_size},
    {"Process Group Ranks", Field::group_ranks},
    {"Global rank start", Field::rank_start},
    {"Global rank stride", Field::rank_stride},
    {"In split size", Field::in_split},
    {"Out split size", Field::out_split},
    {"Src Rank", Field::source},
    {"Dst Rank", Field::destination},
    {"Seq", Field::sequence},
    {"wait_on_stream", Field::waits_for},
    {"wait_on_cuda_event_record_corr_id", Field::record_correlation},
    {"Input Dims", Field::dims},
    {"Input type", Field::types}};

Field find(const std::unordered_map<std::string_view, Field>& fields, std::string_view key) {
  const auto found = fields.find(key);
  return found == fields.end() ? Field::other : found->second;
}

/// What `record_param_comms` says.
std::optional<Communication> arguments(const EventValues& event) {
  if (!event.has(Field::collective)) return std::nullopt;
  Communication found;
  found.name = event[Field::collective];
  const auto bytes = [&](Field field) -> std::uint64_t {
    if (!event.is_set(field)) return 0;
    const std::string& elements = event[field];
    found.has_size = true;
    if (elements == "0") return 0;
    const auto size = element_bytes(event[Field::dtype]);
    if (!size) found.unknown_type = event[Field::dtype];
    if (!size) return 0;
    std::uint64_t result = 0;
    if (__builtin_mul_overflow(whole_number(elements), std::uint64_t{*size}, &result))
      throw std::invalid_argument(found.name + " of more than 2^64 bytes");
    return result;
  };
  found.in_bytes = bytes(Field::in_elements);
  found.out_bytes = bytes(Field::out_elements);
  if (found.unknown_type) found.has_size = false;
  found.group = chakra::plain_group_name(event[Field::group]);
  if (event.is_set(Field::group_size)) found.group_size = whole_number_32(event[Field::group_size]);
  if (const auto ranks = rank_list(event[Field::group_ranks])) found.ranks = *ranks;
  if (found.ranks.empty() && event.is_set(Field::rank_start) && event.is_set(Field::rank_stride))
    found.ranks = strided_ranks(whole_number(event[Field::rank_start]),
                                whole_number(event[Field::rank_stride]), found.group_size);
  if (const auto split = number_list(event[Field::in_split])) found.in_split = *split;
  if (const auto split = number_list(event[Field::out_split])) found.out_split = *split;
  for (const Field peer : {Field::source, Field::destination})
    if (event.is_set(peer)) found.peer = whole_number_32(event[peer]);
  if (event.is_set(Field::sequence)) found.sequence = whole_number(event[Field::sequence]);
  return found;
}

}  // namespace

Field field_of_event(std::string_view key) { return find(kEventFields, key); }
Field field_of_argument(std::string_view key) { return find(kArguments, key); }

std::optional<Communication> said_communication(const EventValues& event) {
  auto found = arguments(event);
  if (!found) found = annotated_communication(event[Field::name], event[Field::dims], event[Field::types]);
  return found;
}

}  // namespace wafertlm::pytorch
