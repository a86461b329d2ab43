// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/axi4/rules.h"

#include <stdexcept>

#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

using Check = Axi4Check;
using Channel = Axi4Channel;

constexpr const char* kReset = "VALID is low while ARESETn is low";
constexpr const char* kStays = "VALID stays high until READY";
constexpr const char* kPayload = "what goes with VALID stays the same until READY";
constexpr const char* kKnown = "VALID and READY are 0 or 1, and so is what goes with VALID";
constexpr const char* kReady = "READY comes, whether or not the other channels move";
constexpr const char* kBoundary = "no burst crosses a 4 KB boundary";
constexpr const char* kWrapAlign = "the address of a WRAP burst is a multiple of the size of a beat";
constexpr const char* kType = "the burst is FIXED, INCR or WRAP";
constexpr const char* kFixed = "a FIXED burst has at most 16 beats";
constexpr const char* kWrap = "a WRAP burst has 2, 4, 8 or 16 beats";
constexpr const char* kSize = "a beat is no wider than the data bus";
constexpr const char* kExclusiveAlign = "the address of an exclusive burst is a multiple of its bytes";
constexpr const char* kExclusiveLength =
    "an exclusive burst has at most 16 beats and 128 bytes, a power of two";
constexpr const char* kExokay = "EXOKAY answers exclusive bursts only";
constexpr const char* kOkay = "a burst within the memory is answered with OKAY";
constexpr const char* kLatency = "a burst alone takes the cycles that LATENCY says";
constexpr const char* kRate = "without stalls a beat passes in nearly every cycle";

}  // namespace

const std::vector<Axi4Rule>& axi4_rules() {
  static const std::vector<Axi4Rule> rules = {
      {Check::valid_reset, Channel::aw, "AWVALID_RESET", kReset},
      {Check::valid_reset, Channel::w, "WVALID_RESET", kReset},
      {Check::valid_reset, Channel::b, "BVALID_RESET", kReset},
      {Check::valid_reset, Channel::ar, "ARVALID_RESET", kReset},
      {Check::valid_reset, Channel::r, "RVALID_RESET", kReset},
      {Check::valid_stable, Channel::aw, "AWVALID_STABLE", kStays},
      {Check::valid_stable, Channel::w, "WVALID_STABLE", kStays},
      {Check::valid_stable, Channel::b, "BVALID_STABLE", kStays},
      {Check::valid_stable, Channel::ar, "ARVALID_STABLE", kStays},
      {Check::valid_stable, Channel::r, "RVALID_STABLE", kStays},
      {Check::payload_stable, Channel::aw, "AW_STABLE", kPayload},
      {Check::payload_stable, Channel::w, "W_STABLE", kPayload},
      {Check::payload_stable, Channel::b, "B_STABLE", kPayload},
      {Check::payload_stable, Channel::ar, "AR_STABLE", kPayload},
      {Check::payload_stable, Channel::r, "R_STABLE", kPayload},
      {Check::known, Channel::aw, "AW_X", kKnown},
      {Check::known, Channel::w, "W_X", kKnown},
      {Check::known, Channel::b, "B_X", kKnown},
      {Check::known, Channel::ar, "AR_X", kKnown},
      {Check::known, Channel::r, "R_X", kKnown},
      {Check::ready_comes, Channel::aw, "AWREADY_MAX_WAIT", kReady},
      {Check::ready_comes, Channel::w, "WREADY_MAX_WAIT", kReady},
      {Check::ready_comes, Channel::b, "BREADY_MAX_WAIT", kReady},
      {Check::ready_comes, Channel::ar, "ARREADY_MAX_WAIT", kReady},
      {Check::ready_comes, Channel::r, "RREADY_MAX_WAIT", kReady},
      {Check::boundary, Channel::aw, "AWADDR_BOUNDARY", kBoundary},
      {Check::boundary, Channel::ar, "ARADDR_BOUNDARY", kBoundary},
      {Check::wrap_align, Channel::aw, "AWADDR_WRAP_ALIGN", kWrapAlign},
      {Check::wrap_align, Channel::ar, "ARADDR_WRAP_ALIGN", kWrapAlign},
      {Check::burst_type, Channel::aw, "AWBURST", kType},
      {Check::burst_type, Channel::ar, "ARBURST", kType},
      {Check::fixed_length, Channel::aw, "AWLEN_FIXED", kFixed},
      {Check::fixed_length, Channel::ar, "ARLEN_FIXED", kFixed},
      {Check::wrap_length, Channel::aw, "AWLEN_WRAP", kWrap},
      {Check::wrap_length, Channel::ar, "ARLEN_WRAP", kWrap},
      {Check::size, Channel::aw, "AWSIZE", kSize},
      {Check::size, Channel::ar, "ARSIZE", kSize},
      {Check::exclusive_align, Channel::aw, "AWLOCK_ALIGN", kExclusiveAlign},
      {Check::exclusive_align, Channel::ar, "ARLOCK_ALIGN", kExclusiveAlign},
      {Check::exclusive_length, Channel::aw, "AWLOCK_LEN", kExclusiveLength},
      {Check::exclusive_length, Channel::ar, "ARLOCK_LEN", kExclusiveLength},
      {Check::early_last, Channel::w, "WLAST_EARLY", "WLAST comes with beat AWLEN + 1, not before"},
      {Check::late_last, Channel::w, "WDATA_NUM", "a burst has AWLEN + 1 beats, and WLAST with the last"},
      {Check::lanes, Channel::w, "WSTRB", "WSTRB is 0 outside of the lanes of a beat"},
      {Check::before_data, Channel::b, "BRESP_WLAST", "an answer comes after the last beat"},
      {Check::before_address, Channel::b, "BRESP_AW", "an answer comes after the address"},
      {Check::outstanding, Channel::b, "BID", "BID is that of a write which waits for its one answer"},
      {Check::exclusive_response, Channel::b, "BRESP_EXOKAY", kExokay},
      {Check::all_answered, Channel::b, "BRESP_ALL_DONE", "every write is answered"},
      {Check::outstanding, Channel::r, "RID", "RID is that of a read which waits for data"},
      {Check::early_last, Channel::r, "RLAST_EARLY", "RLAST comes with beat ARLEN + 1, not before"},
      {Check::late_last, Channel::r, "RDATA_NUM", "a burst has ARLEN + 1 beats, and RLAST with the last"},
      {Check::exclusive_response, Channel::r, "RRESP_EXOKAY", kExokay},
      {Check::all_answered, Channel::r, "RLAST_ALL_DONE", "every read gets all its data"},
      {Check::data, Channel::r, "RDATA", "a read gets what was written last"},
      {Check::data, Channel::w, "WDATA", "a write has what it is to write, where it is to be written"},
      {Check::order, Channel::r, "R_ORDER", "reads of an ID are answered in their order"},
      {Check::okay, Channel::b, "BRESP", kOkay},
      {Check::okay, Channel::r, "RRESP", kOkay},
      {Check::latency, Channel::b, "B_LATENCY", kLatency},
      {Check::latency, Channel::r, "R_LATENCY", kLatency},
      {Check::rate, Channel::w, "W_RATE", kRate},
      {Check::rate, Channel::r, "R_RATE", kRate},
  };
  return rules;
}

const Axi4Rule& axi4_rule(Axi4Check check, Axi4Channel channel) {
  for (const Axi4Rule& rule : axi4_rules())
    if (rule.check == check && rule.channel == channel) return rule;
  throw std::logic_error(say("AXI4: ", to_string(channel), " has no rule ", static_cast<int>(check)));
}

std::string to_text(const Axi4Violation& violation) {
  return say(violation.rule->name, " in cycle ", violation.cycle, ", ID ", violation.id, ": ",
             violation.rule->text, "; seen: ", violation.seen);
}

std::string to_text(const Axi4Burst& burst, bool write) {
  constexpr const char* kTypes[] = {"FIXED", "INCR", "WRAP", "reserved"};
  constexpr const char* kDigits = "0123456789abcdef";
  std::string address;
  for (std::uint64_t left = burst.address; left != 0 || address.empty(); left /= 16)
    address.insert(address.begin(), kDigits[left % 16]);
  return say(write ? "write" : "read", " of ", burst.beats, " x ", burst.beat_bytes(), " B at 0x", address,
             ", ", kTypes[static_cast<std::size_t>(burst.type)], burst.lock ? ", exclusive" : "", ", ID ",
             burst.id);
}

}  // namespace wafertlm
