// SPDX-License-Identifier: Apache-2.0
#include "platform/memory/closed_loop.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <random>
#include <vector>

namespace wafertlm {

ClosedLoop::Result ClosedLoop::run(MemoryTiming& memory, std::uint64_t requests,
                                   std::uint64_t warm_up) const {
  struct Event {
    TimePs at;
    std::uint64_t order;
    MemoryTiming::Id id;
    TimePs submitted;
    bool known;
    bool operator>(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::mt19937_64 random(seed);
  const std::uint64_t half = span_bytes / 2;
  const std::uint64_t part = half / streams / bytes * bytes;
  std::vector<std::uint64_t> at[2] = {std::vector<std::uint64_t>(streams),
                                      std::vector<std::uint64_t>(streams)};
  std::uint32_t turn[2] = {0, 0};
  std::uint64_t sent = 0, order = 0;
  std::uint32_t credit = 0;  // of writes, in percent
  const auto submit = [&](TimePs now) {
    credit += writes_percent;
    const bool write = credit >= 100;
    if (write) credit -= 100;
    std::uint64_t offset = 0;
    if (stride == 0) {
      offset = random() % (half / bytes) * bytes;
    } else {
      std::uint64_t& place = at[write][turn[write]];
      offset = turn[write] * part + place;
      place = (place + stride) % (part - bytes);
      turn[write] = (turn[write] + 1) % streams;
    }
    const MemoryTiming::Id id = memory.submit({write, (write ? half : 0) + offset, bytes}, now);
    const MemoryTiming::Answer answer = memory.ask(id, now);
    events.push({answer.at, order++, id, now, answer.known});
    ++sent;
  };
  for (std::uint32_t k = 0; k < outstanding; ++k) submit(0);
  std::uint64_t done = 0, waited = 0;
  TimePs from = 0, now = 0;
  while (done < warm_up + requests) {
    Event event = events.top();
    events.pop();
    now = event.at;
    if (!event.known) {
      const MemoryTiming::Answer answer = memory.ask(event.id, now);
      event.at = std::max(answer.at, now);
      event.known = answer.known;
      events.push(event);
      continue;
    }
    memory.end(event.id);
    ++done;
    if (done == warm_up) from = now;
    if (done > warm_up) waited += now - event.submitted;
    submit(now);
  }
  return {requests * bytes, now - from, waited / requests};
}

}  // namespace wafertlm
