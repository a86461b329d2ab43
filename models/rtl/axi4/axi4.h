// SPDX-License-Identifier: Apache-2.0
// The signals of an AXI4 port (Arm IHI 0022), as values. One cycle of a port is an Axi4Cycle, whether it
// comes from pins or from a list of cycles in a test.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace wafertlm {

enum class Axi4Channel : std::uint8_t { aw, w, b, ar, r };
constexpr std::array<Axi4Channel, 5> kAxi4Channels = {Axi4Channel::aw, Axi4Channel::w, Axi4Channel::b,
                                                      Axi4Channel::ar, Axi4Channel::r};
constexpr const char* to_string(Axi4Channel channel) {
  constexpr const char* kNames[] = {"AW", "W", "B", "AR", "R"};
  return kNames[static_cast<std::size_t>(channel)];
}

/// As AxBURST.
enum class Axi4BurstType : std::uint8_t { fixed, incr, wrap, reserved };
/// As BRESP and RRESP.
enum class Axi4Response : std::uint8_t { okay, exokay, slverr, decerr };

/// A beat at most; the standard allows twice as much.
constexpr std::uint32_t kAxi4MaxBytes = 64;
constexpr std::uint64_t kAxi4Boundary = 4096;  ///< no burst crosses a multiple of it
using Axi4Data = std::array<std::uint8_t, kAxi4MaxBytes>;

/// The widths of a port.
struct Axi4Shape {
  std::uint32_t data_bytes = kAxi4MaxBytes;
  std::uint32_t address_bits = 40, id_bits = 4;
};

/// What AW or AR says.
struct Axi4Burst {
  std::uint32_t id = 0;
  std::uint64_t address = 0;
  std::uint32_t beats = 1;      ///< AxLEN + 1
  std::uint32_t size_log2 = 0;  ///< AxSIZE
  Axi4BurstType type = Axi4BurstType::incr;
  bool lock = false;

  std::uint32_t beat_bytes() const { return 1U << size_log2; }
  std::uint64_t bytes() const { return std::uint64_t{beats} << size_log2; }
  std::uint64_t aligned() const { return address >> size_log2 << size_log2; }
  /// Address_N of A3.4.1, of beat 0, 1, …
  std::uint64_t beat_address(std::uint32_t beat) const;
  /// The lanes of a data bus that a beat uses, as bits of WSTRB.
  std::uint64_t lanes(std::uint32_t beat, std::uint32_t data_bytes) const;
  /// The bytes that it may touch: [first, second).
  std::array<std::uint64_t, 2> range() const;
  bool operator==(const Axi4Burst& other) const {
    return id == other.id && address == other.address && beats == other.beats &&
           size_log2 == other.size_log2 && type == other.type && lock == other.lock;
  }
};

struct Axi4Handshake {
  bool valid = false, ready = false;
  bool done() const { return valid && ready; }
  bool waits() const { return valid && !ready; }
};
struct Axi4AddressPins : Axi4Handshake {
  Axi4Burst burst;
};
struct Axi4WritePins : Axi4Handshake {
  bool last = false;
  std::uint64_t strobes = 0;
  Axi4Data data{};
};
struct Axi4ResponsePins : Axi4Handshake {
  std::uint32_t id = 0;
  Axi4Response response = Axi4Response::okay;
};
struct Axi4ReadPins : Axi4ResponsePins {
  bool last = false;
  Axi4Data data{};
};

/// All signals of a port at a rising edge of ACLK.
struct Axi4Cycle {
  bool in_reset = false;
  Axi4AddressPins aw, ar;
  Axi4WritePins w;
  Axi4ResponsePins b;
  Axi4ReadPins r;
  /// A bit for each Axi4Channel with a signal that counts and is neither 0 nor 1.
  std::uint8_t unknown = 0;

  const Axi4Handshake& handshake(Axi4Channel channel) const {
    const std::array<const Axi4Handshake*, 5> all = {&aw, &w, &b, &ar, &r};
    return *all[static_cast<std::size_t>(channel)];
  }
  bool is_unknown(Axi4Channel channel) const { return (unknown >> static_cast<unsigned>(channel) & 1) != 0; }
  void set_unknown(Axi4Channel channel) {
    unknown = static_cast<std::uint8_t>(unknown | 1U << static_cast<unsigned>(channel));
  }
};

/// Whether what goes with a channel's VALID is the same; of data to write, in lanes that are enabled.
bool same_payload(const Axi4Cycle& a, const Axi4Cycle& b, Axi4Channel channel);

}  // namespace wafertlm
