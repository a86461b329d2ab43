// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/rtl/design.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

/// The 64 bits beside the head of a packet.
struct RtlHeader {
  std::uint32_t flow = 0;      ///< 16 bits: entry of the configuration table
  std::uint32_t sequence = 0;  ///< 24 bits, counts the packets of the entry
  std::uint32_t bytes = 0;     ///< 24 bits: payload
  static constexpr std::uint64_t kSequenceMask = 0xff'ffff;

  std::uint64_t bits() const {
    return (std::uint64_t{flow} & 0xffff) | (std::uint64_t{sequence} & 0xff'ffff) << 16 |
           (std::uint64_t{bytes} & 0xff'ffff) << 40;
  }
  static RtlHeader of(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits & 0xffff), static_cast<std::uint32_t>(bits >> 16 & 0xff'ffff),
            static_cast<std::uint32_t>(bits >> 40)};
  }
};

struct RtlFlit {
  bool head = false, tail = false;
  std::uint32_t channel = 0;
  std::uint64_t header = 0;  ///< of the packet
  std::uint32_t output = 0;  ///< tdest; not used by credit_stream
  std::uint32_t stream = 0;  ///< tid; not used by credit_stream
  std::vector<std::uint32_t> data;
};

/// What the checkers on the pins hold a module to, in words: text_of().
enum class RtlRule : std::uint8_t {
  credit_held,
  credit_due,
  channel_exists,
  framing,
  known_packet,
  right_output,
  right_channel,
  right_header,
  right_order,
  right_stream,
  whole_packet,
  valid_stays,
  payload_stays,
  quiet_in_reset,
};
const char* text_of(RtlRule rule);

enum class RtlSide : std::uint8_t { input, output };

class RtlStreamHost {
 public:
  /// The flit that was given to `input` is in.
  virtual void went_in(std::uint32_t input) = 0;
  virtual void came_out(std::uint32_t output, const RtlFlit& flit) = 0;
  /// credit_stream: room for a flit is free at an input.
  virtual void credit_came(std::uint32_t input, std::uint32_t channel) = 0;
  /// AXI4-Stream: whether the flit that waits at `output` may leave now.
  virtual bool may_leave(std::uint32_t output, const RtlFlit& flit) = 0;
  /// `flit`: with which it was seen, at an output.
  virtual void broken(RtlSide side, std::uint32_t port, RtlRule rule, const std::string& seen,
                      const RtlFlit* flit = nullptr) = 0;

 protected:
  ~RtlStreamHost() = default;
};

/// The pins of a switch, a cycle at a time: what is given before cycle() is on the pins from the edge on, and
/// what the module shows in the cycle is told from within. The pins of all ports are side by side. No
/// SystemC.
class RtlStream {
 public:
  virtual ~RtlStream() = default;
  /// Whether give() may be called before the next cycle.
  bool takes(std::uint32_t input, std::uint32_t channel) const { return room(input, channel) != 0; }
  /// Flits that may be given: the sender's credits; with AXI4-Stream one, if none waits for ready.
  virtual std::uint32_t room(std::uint32_t input, std::uint32_t channel) const = 0;
  virtual void give(std::uint32_t input, RtlFlit flit) = 0;
  /// Whether a credit fits: not all of the module's are home.
  bool lacks_credit(std::uint32_t output, std::uint32_t channel) const {
    return credits_of_module(output, channel) < design_.out_depth;
  }
  /// Credits that the module has not used.
  virtual std::uint32_t credits_of_module(std::uint32_t /*output*/, std::uint32_t /*channel*/) const {
    return design_.out_depth;
  }
  /// At most one for each output and cycle.
  virtual void give_credit(std::uint32_t /*output*/, std::uint32_t /*channel*/) {}
  virtual void configure(std::uint32_t /*flow*/, std::uint32_t /*word*/, std::uint32_t /*value*/) {}
  /// Holds the reset for some cycles; credits are as in the beginning.
  virtual void reset() = 0;
  virtual void cycle(TimePs now) = 0;
  /// Something moved on the pins in the last cycle.
  bool was_active() const { return active_; }

 protected:
  RtlStream(const RtlDesign& design, RtlModel& model, RtlStreamHost& host, const char* clock,
            const char* reset);
  /// @throws std::invalid_argument
  RtlPin& pin(const std::string& name, std::uint32_t bits);
  /// The edge, with what was on the inputs before.
  void rise();
  /// The second half of the cycle: call after the inputs of the cycle were pushed.
  void settle(TimePs now);
  /// No pin changes any more in this cycle.
  void end(TimePs now);
  /// Some cycles of reset with these inputs at 0, in which these outputs get to 0; they take no time, and
  /// waveforms do not show them.
  void reset_with(std::initializer_list<RtlPin*> inputs,
                  std::initializer_list<std::pair<RtlPin*, RtlSide>> outputs);
  std::uint32_t words() const { return design_.flit_bits / 32; }
  void put_data(RtlPin& to, std::uint32_t port, const RtlFlit& flit) const;
  void take_data(const RtlPin& from, std::uint32_t port, RtlFlit& flit) const;

  const RtlDesign& design_;
  RtlModel& model_;
  RtlStreamHost& host_;
  bool active_ = false;

 private:
  void fall();
  void set_reset(bool active);

  RtlPin &clock_, &reset_;
};

/// `model` and `host` must outlive the stream. @throws std::invalid_argument: pins that the protocol needs
/// are missing or too narrow.
std::unique_ptr<RtlStream> make_rtl_stream(const RtlDesign& design, RtlModel& model, RtlStreamHost& host);
std::unique_ptr<RtlStream> make_credit_stream(const RtlDesign& design, RtlModel& model, RtlStreamHost& host);
std::unique_ptr<RtlStream> make_axi4_stream(const RtlDesign& design, RtlModel& model, RtlStreamHost& host);

}  // namespace wafertlm
