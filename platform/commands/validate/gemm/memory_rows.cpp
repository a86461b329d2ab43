// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "models/hbm/dram/dram_memory.h"
#include "platform/commands/model/memory/memory_study.h"
#include "platform/commands/validate/gemm/pcie.h"
#include "platform/commands/validate/row_kind.h"
#include "platform/commands/validate/row_text.h"
#include "platform/commands/validate/systems.h"

namespace wafertlm::validate {
namespace {

constexpr const char* kToDevice = R"(host[ -]?(to|->|2)[ -]?device|\bH2D\b|\bHtoD\b)";
constexpr const char* kToHost = R"(device[ -]?(to|->|2)[ -]?host|\bD2H\b|\bDtoH\b)";
constexpr const char* kBoth = R"(bidirectional|both (ways|directions))";

bool is_host_copy(const ValidationRow& row) {
  return says(row.operation, kToDevice) || says(row.operation, kToHost) ||
         says(row.operation, R"(\bPCIe\b.*(copy|bandwidth|transfer))");
}

bool is_device_copy(const ValidationRow& row) {
  return says(row.operation,
              R"((device|GPU)[ -]?(to|->|2)[ -]?(device|GPU)|\bD2D\b|\bP2P\b|peer[ -]to[ -]peer)") &&
         says(row.operation, "copy|bandwidth|memcpy|transfer|read|write");
}

/// Of a load while memory is busy, as dissections of GPUs measure it: rate × latency is what is under way.
constexpr double kLoadedLatency = 600e-9;

/// What refreshes and turnarounds leave of a memory of which no timings are known; an assumption.
constexpr double kOfGddr = 0.9;

/// What a stream does with the memory, and the percent of its accesses that are writes.
struct Stream {
  const char* pattern;
  std::uint32_t writes_percent;
};
constexpr Stream kStreams[] = {
    {R"(triad|\badd\b)", 33},
    {R"(write|\bfill\b|memset)", 100},
    {R"(copy|memcpy|\bscale\b|\bmul\b)", 50},
    {R"(read|\bdot\b|\bload\b)", 0},
    {R"((HBM|DRAM|memory|GDDR)\S*( \w+)? bandwidth|STREAM\b)", 33},
};

const Stream* stream_of(const ValidationRow& row) {
  if (!says(row.operation, "HBM|DRAM|GDDR|memory|stream|memcpy|device[ -]local|triad")) return nullptr;
  for (const Stream& stream : kStreams)
    if (says(row.operation, stream.pattern)) return &stream;
  return nullptr;
}

bool is_memory(const ValidationRow& row) {
  if (is_wafer(row)) return false;
  if (is_device_copy(row)) return ranks_of(row) <= 8;
  if (ranks_of(row) != 1) return false;
  if (says(row.operation, "all-|reduce|gather|scatter|training|streaming|peer|p2p|NVLink (copy|read|write)"))
    return false;
  return is_host_copy(row) || stream_of(row) != nullptr;
}

std::string memory_group(const ValidationRow& row) {
  return is_host_copy(row) ? "host copy" : is_device_copy(row) ? "device copy" : "memory";
}

/// Bytes per s of one of a unit, or 0.01 of the peak.
struct MemoryUnit {
  double base;
  bool is_part = false;
};
std::optional<MemoryUnit> memory_unit(const std::string& unit) {
  constexpr std::pair<const char*, double> kRates[] = {
      {R"(^\s*TiB/s)", 1099511627776.0}, {R"(^\s*GiB/s)", 1073741824.0}, {R"(^\s*MiB/s)", 1048576.0},
      {R"(^\s*T(B/s|Bps))", 1e12},       {R"(^\s*G(B/s|Bps))", 1e9},     {R"(^\s*M(B/s|Bps))", 1e6}};
  for (const auto& [pattern, base] : kRates)
    if (says(unit, pattern)) return MemoryUnit{base};
  if (says(unit, R"(^\s*(%|percent))")) return MemoryUnit{0.01, true};
  if (says(unit, R"(^\s*(fraction|ratio|of peak))")) return MemoryUnit{1, true};
  return std::nullopt;
}

void check_memory(const ValidationRow& row) {
  if (!memory_unit(row.unit) && !time_unit(row.unit))
    throw bad_row(row,
                  fmt::format("'{}' is no unit of a memory's or a copy's rate; expected GB/s, TB/s, or % of "
                              "peak",
                              row.unit));
}

/// "HBM2e 2039 GB/s peak", "PCIe 5 x16 63 GB/s spec": what a machine has where it is not what its preset has.
std::optional<double> peak_in(const std::string& text) {
  constexpr const char* kNumber = R"((\d+(?:\.\d+)?) ?[GT]B/s(?: peak| spec| theoretical))";
  const std::string number = said(text, kNumber);
  if (number.empty()) return std::nullopt;
  return std::stod(number) * (says(text, R"(\d ?TB/s(?: peak| spec| theoretical))") ? 1e12 : 1e9);
}

Answer answer_of(const MemoryUnit& unit, double rate, double peak) {
  Answer answer;
  answer.simulated = rate / (unit.is_part ? peak : 1) / unit.base;
  answer.closed_form = peak / (unit.is_part ? peak : 1) / unit.base;
  return answer;
}

/// A packet's header is not in the server's payload rate.
Answer device_copy(const ValidationRow& row, const MemoryUnit& unit) {
  const MeasuredSystem& system = system_of(row);
  const double rate = server_bytes_per_s(system) * (says(row.operation + row.notes, kBoth) ? 2 : 1);
  Answer answer = answer_of(unit, rate, rate);
  answer.how = preset_name(system.server) + ": payload of a device's links";
  return answer;
}

Answer host_copy(const ValidationRow& row, const MemoryUnit& unit) {
  PcieLink link;
  const std::string facts = row.topology + " " + row.operation + " " + row.notes;
  const std::string generation = said(facts, R"(PCIe?\s*(?:Gen)?\s*([3-6])(?!\d))");
  const std::string lanes = said(facts, R"(\bx\s?(16|8|4|2|1)\b)");
  const bool chip_to_chip = says(facts, "C2C") || says(row.system, R"(\bG[HB][23]00)");
  const PcieCopy copy = says(row.operation, kBoth)     ? PcieCopy::both
                        : says(row.operation, kToHost) ? PcieCopy::device_to_host
                                                       : PcieCopy::host_to_device;
  if (chip_to_chip && generation.empty()) {
    constexpr double kRate = 450e9, kPayload = 8.0 / 9;  // a flit of header for eight of 16 B
    const double ways = copy == PcieCopy::both ? 2 : 1;
    Answer answer = answer_of(unit, ways * kRate * kPayload, ways * kRate);
    answer.how = "NVLink-C2C, 450 GB/s each way: packets of 128 B and 16 B of header";
    return answer;
  }
  link.generation = generation.empty() ? system_of(row).pcie : static_cast<unsigned>(generation[0] - '0');
  if (!lanes.empty()) link.lanes = static_cast<unsigned>(std::stoul(lanes));
  if (link.generation == 0) throw CannotSay("how it is joined to its host is not known");
  Answer answer =
      answer_of(unit, link.payload_bytes_per_s(copy), link.bytes_per_s() * (copy == PcieCopy::both ? 2 : 1));
  answer.how =
      fmt::format("PCIe {} x{}: packets of 256 B, their headers and DLLPs", link.generation, link.lanes);
  return answer;
}

Answer stream(const ValidationRow& row, const MemoryUnit& unit) {
  const MeasuredSystem& system = system_of(row);
  const std::string preset = preset_name(system.accelerator);
  const config::NpuSpec npu = accelerator_of(system);
  const Stream& stream = *stream_of(row);
  const double devices = says(row.unit + " " + row.topology, R"(\bchip)") ? system.devices : 1;
  const double pins = devices * static_cast<double>(npu.hbm.bytes_per_s(false));
  const double peak = peak_in(row.topology).value_or(pins);
  if (npu.hbm.generation.empty()) {
    Answer answer = answer_of(unit, peak * kOfGddr, peak);
    answer.how = fmt::format("{}: {:.0f} % of the pins of a GDDR6", preset, 100 * kOfGddr);
    return answer;
  }
  DramMemory memory(*hbm_params(npu.hbm).dram);
  ClosedLoop loop;
  loop.writes_percent = stream.writes_percent;
  loop.outstanding =
      std::max(1U, static_cast<unsigned>(std::lround(static_cast<double>(memory.bytes_per_s()) *
                                                     kLoadedLatency / static_cast<double>(loop.bytes))));
  const double part = loop.run_all(memory, 2000).bytes_per_s() / static_cast<double>(memory.bytes_per_s());
  Answer answer = answer_of(unit, peak * part, peak);
  answer.how = fmt::format("{}: {} stacks of {} bank by bank, {} % writes, {:.1f} % of the pins", preset,
                           npu.hbm.map.stacks, npu.hbm.generation, stream.writes_percent, 100 * part);
  return answer;
}

Answer memory_answer(const ValidationRow& row) {
  const auto unit = memory_unit(row.unit);
  if (!unit) throw CannotSay("a time, of how many bytes is not said");
  return is_host_copy(row)     ? host_copy(row, *unit)
         : is_device_copy(row) ? device_copy(row, *unit)
                               : stream(row, *unit);
}

}  // namespace

RowKind memory_rows() { return {"memory", is_memory, memory_group, check_memory, memory_answer}; }

}  // namespace wafertlm::validate
