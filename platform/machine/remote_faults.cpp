// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/remote_faults.h"

#include <stdexcept>
#include <utility>

#include "platform/machine/remote_pool.h"
#include "tlm/checking/checking.h"

namespace wafertlm {
namespace {

/// A fault's number, and below it whether it is the time that a replay goes back to.
constexpr std::uint32_t kLook = 1;

void move(MemoryEngineProvider& provider, ::tlm::tlm_command command, const Segment& at,
          std::vector<unsigned char>& data) {
  if (at.bytes == 0) return;
  ::tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(at.address);
  payload.set_data_ptr(data.data());
  payload.set_data_length(static_cast<unsigned>(at.bytes));
  payload.set_streaming_width(static_cast<unsigned>(at.bytes));
  if (provider.memory.socket->transport_dbg(payload) != at.bytes)
    throw std::runtime_error(say(provider.name(), ": its memory has no contents that a fault could change"));
}

}  // namespace

RemoteFaults::RemoteFaults(std::vector<config::RemoteFaultSpec> faults, RemotePool& pool,
                           Scheduler& scheduler)
    : faults_(std::move(faults)), pool_(pool), earlier_(faults_.size()) {
  for (std::uint32_t number = 0; number < faults_.size(); ++number) {
    const config::RemoteFaultSpec& fault = faults_[number];
    scheduler.schedule(fault.at_ps, *this, number << 1);
    if (fault.kind == config::RemoteFaultSpec::Kind::replay)
      scheduler.schedule(fault.from_ps, *this, number << 1 | kLook);
  }
}

RemoteFaults::Place RemoteFaults::place_of(std::uint32_t npu, std::uint64_t page) const {
  const RegionLayout& layout = pool_.requester(npu).layout();
  Segment tag = layout.tag(page);
  if (layout.tag_bytes == 0) tag = {};
  return {pool_.provider_module(pool_.place_of(npu, page).provider),
          {layout.slot_address(page), layout.page_bytes},
          tag};
}

RemoteFaults::Image RemoteFaults::read(const Place& place) {
  Image image{Bytes(place.page.bytes), Bytes(place.tag.bytes)};
  move(place.provider, ::tlm::TLM_READ_COMMAND, place.page, image.page);
  move(place.provider, ::tlm::TLM_READ_COMMAND, place.tag, image.tag);
  return image;
}

void RemoteFaults::write(const Place& place, Image image) {
  move(place.provider, ::tlm::TLM_WRITE_COMMAND, place.page, image.page);
  move(place.provider, ::tlm::TLM_WRITE_COMMAND, place.tag, image.tag);
}

void RemoteFaults::wake(std::uint32_t what, TimePs) {
  const config::RemoteFaultSpec& fault = faults_[what >> 1];
  const Place place = place_of(fault.npu, fault.page);
  using Kind = config::RemoteFaultSpec::Kind;
  switch (fault.kind) {
    case Kind::flip: {
      Image image = read(place);
      image.page[fault.bit / 8] ^= static_cast<unsigned char>(1U << fault.bit % 8);
      return write(place, std::move(image));
    }
    case Kind::swap: {
      const Place other = place_of(fault.npu, fault.with);
      Image image = read(place);
      write(place, read(other));
      return write(other, std::move(image));
    }
    case Kind::replay:
      if ((what & kLook) != 0)
        earlier_[what >> 1] = read(place);
      else
        write(place, earlier_[what >> 1]);
      return;
    case Kind::drop:
      place.provider.drop_next_store(place.page);
      return place.provider.drop_next_store(place.tag);
  }
}

}  // namespace wafertlm
