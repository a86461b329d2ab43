// SPDX-License-Identifier: Apache-2.0
#include "models/fred/flows/flow_buffers.h"

#include <algorithm>
#include <stdexcept>

#include "tlm/checking/checking.h"

namespace wafertlm {

std::uint64_t slow_flow_credits(std::uint64_t line_credit_bytes, std::uint64_t line_bytes_per_s,
                                std::uint64_t flow_bytes_per_s, const WireFormat& format) {
  const std::uint64_t packet = format.full_wire_bytes();
  if (line_credit_bytes <= 2 * packet || flow_bytes_per_s >= line_bytes_per_s) return line_credit_bytes;
  // As many such flows as fill the link: a packet of each may go before one of this one, which is as long as
  // one takes at its rate; on the way into the switch, and out of it.
  const auto in_flight = static_cast<std::uint64_t>(
      (Uint128{line_credit_bytes - 2 * packet} * flow_bytes_per_s + line_bytes_per_s - 1) / line_bytes_per_s);
  return std::min(line_credit_bytes, 4 * packet + in_flight);
}

FlowBuffers::FlowBuffers(const std::vector<std::vector<OutputParams>>& outputs,
                         const std::vector<OutputParams>& injection, std::size_t channels,
                         const FlowBufferOptions& options)
    : options_(options) {
  const auto add = [&](const OutputParams& link) {
    buffers_.push_back({link, std::vector<std::uint64_t>(channels)});
  };
  for (const auto& of_switch : outputs) {
    first_.push_back(buffers_.size());
    for (const OutputParams& link : of_switch) add(link);
  }
  first_.push_back(buffers_.size());
  for (const OutputParams& link : injection) add(link);
}

void FlowBuffers::use(std::size_t buffer, std::uint64_t flow_bytes_per_s, Reserved& reserved) const {
  Reservation& of = reserved[buffer];
  if (of.branches++ != 0) return;
  const OutputParams& link = buffers_[buffer].link;
  of.bytes = link.flow_credit_bytes;
  if (options_.by_rate)
    of.bytes = slow_flow_credits(of.bytes, link.bytes_per_s, flow_bytes_per_s, options_.format);
  if (of.bytes > link.flow_buffer_bytes)
    throw std::invalid_argument(say("an in-network flow reserves ", of.bytes, " B in a buffer of ",
                                    link.flow_buffer_bytes, " B: give the flows of the fabric more room"));
}

bool FlowBuffers::fits(const Reserved& reserved, std::size_t channel) const {
  return std::all_of(reserved.begin(), reserved.end(), [&](const auto& each) {
    const Buffer& buffer = buffers_[each.first];
    return buffer.used_bytes[channel] + each.second.bytes <= buffer.link.flow_buffer_bytes;
  });
}

void FlowBuffers::reserve(const Reserved& reserved, std::size_t channel) {
  for (const auto& [buffer, of] : reserved) buffers_[buffer].used_bytes[channel] += of.bytes;
}

void FlowBuffers::give_back(const Reserved& reserved, std::size_t channel) {
  for (const auto& [buffer, of] : reserved) buffers_[buffer].used_bytes[channel] -= of.bytes;
}

}  // namespace wafertlm
