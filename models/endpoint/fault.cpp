// SPDX-License-Identifier: Apache-2.0
#include "models/endpoint/fault.h"

#include <stdexcept>

#include "tlm/checking/checking.h"
#include "tlm/packets/message.h"
#include "tlm/packets/packet.h"

namespace wafertlm {

std::string Fault::way() const {
  return say("from NPU ", index_of(params_.from), " ",
             params_.to ? say("to NPU ", index_of(*params_.to)) : "into in-network flows");
}

Fault::Effect Fault::apply(Packet& packet, TimePs now) {
  if (packet.source != params_.from) return Effect::none;
  if (params_.to ? packet.flow || packet.destination != *params_.to : !packet.flow) return Effect::none;
  if (++seen_ != params_.packet) return Effect::none;
  const Message& message = *packet.message;
  const std::string which = say("packet ", seen_, " ", way(), " (bytes ", packet.offset, " to ",
                                packet.offset + packet.payload_bytes, " of a message of ", message.bytes,
                                " B, operation ", message.key.operation, ", tag ", message.key.tag, ")");
  if (params_.kind == FaultParams::Kind::drop_packet) {
    what_ = say("dropped ", which, " at ", now, " ps");
    return Effect::dropped;
  }
  if (packet.data.empty())
    throw std::runtime_error(say("run.fault: ", which, " carries no values; only those of collectives do"));
  const std::uint64_t bit = params_.bit.value_or(0);
  if (bit / 8 >= packet.data.size())
    throw std::invalid_argument(say("run.fault: there is no bit ", bit, " in ", which, "; its last one is ",
                                    packet.data.size() * 8 - 1));
  packet.data[bit / 8] ^= std::byte{1} << bit % 8;
  what_ = say("flipped bit ", bit, " of ", which, " at ", now, " ps");
  return Effect::flipped;
}

std::string Fault::report() const {
  if (hit()) return "run.fault " + what_;
  return say("run.fault never happened: ", seen_, " packets went ", way(), ", packet ", params_.packet,
             " was asked for");
}

}  // namespace wafertlm
