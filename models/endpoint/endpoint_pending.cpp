// SPDX-License-Identifier: Apache-2.0
// What an endpoint waits for, in words.
#include <algorithm>

#include "models/endpoint/endpoint.h"
#include "tlm/npu_name.h"

namespace wafertlm {

std::string Endpoint::name_of(NpuId npu) { return npu == kFabric ? "the fabric" : npu_name(npu); }

std::string Endpoint::waits(const MessageKey& key, const Waiter& waiter) const {
  if (!waiter.collective)
    return name_of(npu_) + " waits for " + name_of(key.source) + " in a receive with tag " +
           std::to_string(key.tag);
  const Collective& collective = *waiter.collective;
  const auto name = [&](NpuId npu) {
    const Group& group = *collective.start.group;
    const auto rank = std::find(group.begin(), group.end(), npu) - group.begin();
    return name_of(npu) + " (rank " + std::to_string(rank) + ")";
  };
  const std::string source =
      key.source == kFabric ? "the result of in-network flow " + std::to_string(key.tag) : name(key.source);
  return name(npu_) + " waits for " + source + " in collective " +
         std::to_string(collective.start.collective_id) + " step " + std::to_string(waiter.token) +
         " of threadblock " + std::to_string(waiter.threadblock);
}

std::string Endpoint::missing(const Message& message) const {
  const auto* const expected = matcher_.find(message.key);
  const auto storing = storing_.find(&message);
  std::string who = name_of(npu_) + " waits for no step yet that takes a message from " +
                    name_of(message.key.source) + " with tag " + std::to_string(message.key.tag);
  if (storing != storing_.end())
    who = waits(message.key, storing->second);
  else if (expected && !expected->message)
    who = waits(message.key, expected->waiter);
  return who + ": all of the message has left, " + std::to_string(message.arrived_bytes) + " of " +
         std::to_string(message.bytes) + " B have arrived";
}

std::vector<std::string> Endpoint::pending() const {
  std::vector<std::string> lines;
  matcher_.for_each([&](const auto& entry) {
    if (!entry.message) lines.push_back(waits(entry.key, entry.waiter));
  });
  for (const auto& [message, waiter] : storing_) lines.push_back(waits(message->key, waiter));
  std::size_t sends = 0;
  for (const Sending& each : sending_) {
    if (!each.is_used) continue;
    if (!each.contribution || each.contribution->flow) {
      ++sends;
      continue;
    }
    const MessageKey& key = each.contribution->key;
    lines.push_back(name_of(npu_) + " waits to enter in-network flow " + std::to_string(key.tag) +
                    " of collective " + std::to_string(key.operation));
  }
  if (sends != 0)
    lines.push_back(name_of(npu_) + " has " + std::to_string(sends) + " sends that the fabric does not take");
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace wafertlm
