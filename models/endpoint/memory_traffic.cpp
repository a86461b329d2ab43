// SPDX-License-Identifier: Apache-2.0
#include "models/endpoint/memory_traffic.h"

#include <algorithm>

#include "tlm/kernel/free_numbers.h"

namespace wafertlm {

void MemoryTraffic::read(Message& message) {
  message.available_bytes = 0;
  if (message.bytes != 0) read_on(message, reads_[&message]);
}

void MemoryTraffic::packet_left(Message& message) {
  const auto found = reads_.find(&message);
  if (found != reads_.end()) read_on(message, found->second);
}

void MemoryTraffic::read_on(Message& message, Read& read) {
  while (read.started < message.bytes) {
    const std::uint64_t bytes = std::min<std::uint64_t>(message.bytes - read.started, params_.chunk_bytes);
    if (read.started + bytes > message.injected_bytes + params_.read_ahead_bytes) return;
    const std::uint64_t from = message.address + read.started;
    read.started += bytes;
    ++read.running;
    start(false, {&message, from, static_cast<std::uint32_t>(bytes), Access::Stage::send, 1});
  }
}

void MemoryTraffic::arrived(Message& message, std::uint64_t bytes) {
  Landing& landing = landings_[&message];
  landing.arrived = std::max(landing.arrived, bytes);
  store_on(message, landing);
}

void MemoryTraffic::post(Message& message, std::uint64_t address, bool reduces) {
  Landing& landing = landings_[&message];
  landing.address = address;
  landing.reduces = reduces;
  landing.posted = true;
  store_on(message, landing);
}

void MemoryTraffic::store_on(Message& message, Landing& landing) {
  if (!landing.posted) return;
  while (landing.started < landing.arrived) {
    const std::uint64_t bytes = std::min<std::uint64_t>(message.bytes - landing.started, params_.chunk_bytes);
    if (landing.started + bytes > landing.arrived) return;
    Access access{&message, landing.address + landing.started, static_cast<std::uint32_t>(bytes),
                  Access::Stage::store, 1};
    landing.started += bytes;
    if (landing.reduces) {
      access.stage = Access::Stage::reduce;
      access.left = 2;
    }
    start(!landing.reduces, access);
  }
  if (landing.stored != message.bytes || landing.arrived != message.bytes) return;
  landings_.erase(&message);
  host_.message_stored(message);
}

void MemoryTraffic::start(bool write, const Access& access) {
  const std::uint64_t token = take_number(accesses_, free_accesses_);
  accesses_[token] = access;
  for (std::uint8_t k = 0; k < access.left; ++k)
    host_.access_memory(write, access.address, access.bytes, token);
}

void MemoryTraffic::access_done(std::uint64_t token) {
  if (--accesses_[token].left != 0) return;
  Access access = accesses_[token];
  free_accesses_.push_back(token);
  Message& message = *access.message;
  switch (access.stage) {
    case Access::Stage::send: {
      const auto found = reads_.find(&message);
      message.available_bytes += access.bytes;
      // The sender's part is over before the message can be gone.
      if (--found->second.running == 0 && found->second.started == message.bytes) reads_.erase(found);
      host_.data_available();
      break;
    }
    case Access::Stage::reduce:
      access.stage = Access::Stage::store;
      access.left = 1;
      start(true, access);
      break;
    case Access::Stage::store: {
      Landing& landing = landings_.at(&message);
      landing.stored += access.bytes;
      store_on(message, landing);
      break;
    }
  }
}

}  // namespace wafertlm
