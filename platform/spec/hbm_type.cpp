// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "models/hbm/dram/address_map.h"
#include "models/hbm/flow_memory.h"
#include "platform/describe/value_types.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/npu_spec.h"
#include "platform/text/quantity.h"

namespace wafertlm::config {
namespace {

TypePtr<std::string> generation_type() { return or_none<std::string>(one_of(dram_generations()), ""); }

/// "hashed" is the map without fields.
class AddressMapType : public TypeOf<std::string> {
 public:
  std::string read(const Reader& in) const override {
    const std::string given = text()->read(in);
    return given == kHashed ? "" : given;
  }
  Node write(const std::string& map) const override { return Node::string(map.empty() ? kHashed : map); }
  Json schema(SchemaStyle style, SchemaDefs& defs) const override { return text()->schema(style, defs); }

 private:
  static constexpr const char* kHashed = "hashed";
};

void check_efficiency(const EfficiencySpec& spec, const Check& check) {
  try {
    efficiency_table(spec);
  } catch (const std::invalid_argument& error) {
    check.fail({&spec.rows, &spec.depths}, error.what());
  }
}

void check_hbm(const HbmSpec& hbm, const Check& check) {
  if (hbm.generation.empty()) {
    if (hbm.level)
      check.fail({&hbm.level, &hbm.generation},
                 "this level needs to know the memory: set {} to hbm2, hbm2e, hbm3 or hbm3e",
                 check.path(&hbm.generation));
    return;
  }
  if (!hbm.level && !hbm.efficiency)
    check.fail(
        {&hbm.generation, &hbm.level, &hbm.efficiency},
        "level flow needs the efficiency of the generation: set {} to the file that `wafertlm model memory "
        "table {}` writes (configs/memory/{}.yaml), or {} to burst",
        check.path(&hbm.efficiency), hbm.generation, hbm.generation, check.path(&hbm.level));
  if (hbm.efficiency && hbm.efficiency->generation != hbm.generation)
    check.fail({&hbm.efficiency->generation, &hbm.generation},
               "the efficiency table is that of {}, the memory is {}", hbm.efficiency->generation,
               hbm.generation);
  if (hbm.queue.write_low >= hbm.queue.write_high)
    check.fail({&hbm.queue.write_low, &hbm.queue.write_high},
               "the low mark of the write buffer lies below its high mark");
  DramTiming timing;
  try {
    timing = dram_timing(hbm);
  } catch (const std::invalid_argument& error) {
    check.fail({&hbm.timings, &hbm.generation}, error.what());
  }
  try {
    const std::uint64_t reach = AddressMap(timing, hbm.map).reach_bytes();
    if (reach < hbm.capacity_bytes)
      check.fail({&hbm.map.given, &hbm.capacity_bytes, &hbm.map.stacks, &hbm.generation},
                 "the map tells {} B apart and the memory has {} B; give 'row' more bits, or no number: then "
                 "it takes what the others leave",
                 reach, hbm.capacity_bytes);
  } catch (const std::invalid_argument& error) {
    check.fail({&hbm.map.given, &hbm.map.stacks, &hbm.generation}, error.what());
  }
  const std::uint64_t most = hbm.map.stacks * timing.stack_bytes;
  if (hbm.capacity_bytes > most)
    check.fail({&hbm.capacity_bytes, &hbm.map.stacks, &hbm.generation},
               "{} stacks of {} hold {} B; expected a capacity of at most that, or more stacks",
               hbm.map.stacks, hbm.generation, most);
}

}  // namespace

EfficiencyTable efficiency_table(const EfficiencySpec& spec) {
  EfficiencyTable table{spec.depths, {}};
  for (const std::string& text : spec.rows) {
    std::istringstream in(text);
    EfficiencyTable::Row row;
    in >> row.stacks >> row.bytes >> row.stride >> row.writes_percent;
    for (double value = 0; in >> value;) row.efficiency.push_back(value);
    if (!in.eof() || row.stacks == 0 || row.bytes == 0 || row.writes_percent > 100 ||
        row.efficiency.size() != spec.depths.size())
      throw std::invalid_argument("'" + text +
                                  "' is no row: expected stacks, bytes, stride, percent of writes, and " +
                                  std::to_string(spec.depths.size()) + " efficiencies");
    table.rows.push_back(std::move(row));
  }
  for (const std::uint32_t stacks : table.stacks()) EfficiencyGrid(table, stacks);
  return table;
}

std::uint64_t HbmSpec::bytes_per_s(bool write) const {
  if (!generation.empty()) return map.stacks * dram_timing(*this).stack_bytes_per_s();
  return write ? timing.write_bandwidth_bytes_per_s : timing.read_bandwidth_bytes_per_s;
}

DramTiming dram_timing(const HbmSpec& spec) {
  DramTiming timing = wafertlm::dram_timing(spec.generation);
  if (!spec.timings) return timing;
  if (spec.timings->clock_ps) timing = timing.with_clock(*spec.timings->clock_ps * 1000);
  const auto& keys = dram_timing_keys();
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (const auto& given = spec.timings->times_ps[k]; given)
      timing.*keys[k].cycles =
          static_cast<std::uint32_t>((*given * 1000 + timing.clock_fs - 1) / timing.clock_fs);
  timing.check();
  return timing;
}

HbmSpec partial_hbm(const HbmSpec& spec, std::uint32_t share_percent) {
  HbmSpec part = spec;
  const auto reduce = [&](std::uint64_t& value) {
    value = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(Uint128{value} * share_percent / 100));
  };
  reduce(part.capacity_bytes);
  if (spec.generation.empty()) {
    reduce(part.timing.read_bandwidth_bytes_per_s);
    reduce(part.timing.write_bandwidth_bytes_per_s);
    return part;
  }
  if (spec.map.stacks * share_percent % 100 != 0)
    throw std::invalid_argument(
        fmt::format("{} % of {} stacks is no whole number of them", share_percent, spec.map.stacks));
  part.map.stacks = spec.map.stacks * share_percent / 100;
  return part;
}

HbmParams hbm_params(const HbmSpec& spec) {
  HbmParams params = spec;
  if (spec.generation.empty()) return params;
  const DramTiming timing = dram_timing(spec);
  if (spec.level)
    params.dram = {timing, *spec.level, spec.map, spec.queue};
  else
    params.flow = flow_memory_params(efficiency_table(*spec.efficiency), timing, spec.map.stacks);
  return params;
}

std::shared_ptr<const Struct<EfficiencySpec>> efficiency_type() {
  static const auto type = [] {
    auto made = std::make_shared<Struct<EfficiencySpec>>("efficiency");
    made->presets_in("memory");
    made->required("efficiency", &EfficiencySpec::name, text(), "What was measured, and how")
        .required("generation", &EfficiencySpec::generation, generation_type(), "Of which memory")
        .required("depths", &EfficiencySpec::depths,
                  list_of<std::uint32_t>(integer<std::uint32_t>(1, 65'536), 1, 64),
                  "Numbers of outstanding requests, ascending")
        .required("rows", &EfficiencySpec::rows, list_of<std::string>(text(), 1, 100'000),
                  "'STACKS BYTES STRIDE WRITES E E …': how many stacks, size of the requests, their stride "
                  "in sizes (0: random), percent of writes, and for each depth what part of their pins' "
                  "bandwidth they deliver")
        .check(check_efficiency);
    return made;
  }();
  return type;
}

/// 1 ps to 100 us; a refresh may be left out.
std::shared_ptr<const Struct<DramTimingSpec>> dram_timing_type() {
  static const auto type = [] {
    auto made = std::make_shared<Struct<DramTimingSpec>>("dram_timings");
    made->presets_in("memory/timings");
    made->optional("timings", &DramTimingSpec::name, text(), "What they are, and from where")
        .optional(
            "t_ck", &DramTimingSpec::clock_ps, maybe(whole_quantity(time_dimension(), "100 ps", "10 ns")),
            "Clock cycle of the commands; the pins move two beats in each. Times that are not given stay "
            "as many nanoseconds");
    const auto& keys = dram_timing_keys();
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const bool refresh = keys[k].cycles == &DramTiming::refi;
      made->optional(
          keys[k].name, [k](auto& spec) -> auto& { return spec.times_ps[k]; },
          maybe(whole_quantity(time_dimension(), refresh ? "0 ps" : "1 ps", "100 us")), keys[k].meaning);
    }
    return made;
  }();
  return type;
}

std::shared_ptr<const Struct<HbmRtlSpec>> hbm_rtl_type() {
  auto type = std::make_shared<Struct<HbmRtlSpec>>("hbm_rtl");
  type->required("npu", &HbmRtlSpec::npu, integer<std::uint32_t>(0, 65'535), "Whose memory")
      .required(
          "view", &HbmRtlSpec::view, one_of<RtlViewMode>({"tlm", "rtl", "both"}),
          "tlm: the model alone; rtl: the RTL says when accesses are done; both: the model does, and the "
          "RTL gets the same accesses beside it and is compared. Contents are made up, and what is read "
          "is compared with what was written")
      .required(
          "design", &HbmRtlSpec::design, word(),
          "RTL with an AXI4 slave's pins, as axi_hbm; `wafertlm rtl designs` lists what the program has")
      .optional("clock", &HbmRtlSpec::clock_hz,
                auto_or(whole_quantity(frequency_dimension(), "1 MHz", "1000 GHz")),
                "auto: what makes a beat per cycle carry as much as the memory reads")
      .optional("tolerance_cycles", &HbmRtlSpec::tolerance_cycles, integer<std::uint32_t>(0, 1'000'000),
                "With both: most that an access may be done earlier or later than the model's; beyond it the "
                "run fails. The model counts bytes and AXI4 whole beats: what is not aligned takes the RTL a "
                "cycle more, and what waits behind it, too");
  return type;
}

std::shared_ptr<const Struct<HbmSpec>> hbm_type() {
  const auto visits = integer<std::uint32_t>(1, 1024);
  auto type = std::make_shared<Struct<HbmSpec>>("hbm");
  type->optional("level", &HbmSpec::level,
                 choice<std::optional<DramLevel>>(
                     {{"flow", std::nullopt}, {"burst", DramLevel::burst}, {"command", DramLevel::command}}),
                 "flow: bandwidth, times an efficiency table if a generation is given; burst: rows and "
                 "banks; command: command by command, to calibrate the others, slow")
      .optional("generation", &HbmSpec::generation, generation_type(),
                "Timings and shape of the memory; reads and writes then share its data bus, and its pins "
                "tell the bandwidth. Left out: read_bandwidth and write_bandwidth, apart from each other")
      .optional("stacks", at(&HbmSpec::map, &AddressMapParams::stacks), integer<std::uint32_t>(1, 16),
                "Stacks of an NPU")
      .when_given(&HbmSpec::generation)
      .optional("efficiency", &HbmSpec::efficiency,
                maybe<EfficiencySpec>(std::make_shared<const FileOr<EfficiencySpec>>(efficiency_type())),
                "Of level flow: the file that `wafertlm model memory table` writes")
      .when_given(&HbmSpec::generation)
      .optional("address_map", at(&HbmSpec::map, &AddressMapParams::given),
                std::make_shared<AddressMapType>(),
                "hashed, or the fields of an address from the highest bits to the lowest, as in 'row bank "
                "group:1 channel column group:1'; a number says how many bits")
      .when(&HbmSpec::level, DramLevel::burst, DramLevel::command)
      .optional("queue_visits", at(&HbmSpec::queue, &DramQueueParams::queue_visits), visits,
                "Reads that a pseudo-channel sees at a time, each of up to a piece of the address map")
      .when(&HbmSpec::level, DramLevel::burst, DramLevel::command)
      .optional("write_high", at(&HbmSpec::queue, &DramQueueParams::write_high), visits,
                "Writes that a pseudo-channel buffers; full, it drains")
      .when(&HbmSpec::level, DramLevel::burst, DramLevel::command)
      .optional("write_low", at(&HbmSpec::queue, &DramQueueParams::write_low),
                integer<std::uint32_t>(0, 1023), "How many a drain leaves")
      .when(&HbmSpec::level, DramLevel::burst, DramLevel::command)
      .optional("write_age", at(&HbmSpec::queue, &DramQueueParams::write_age_ps),
                whole_quantity(time_dimension(), "1 ns", "1 ms"),
                "Writes that reads have kept waiting for so long go before them")
      .when(&HbmSpec::level, DramLevel::burst, DramLevel::command)
      .optional(
          "refresh", at(&HbmSpec::queue, &DramQueueParams::refresh),
          one_of<DramRefresh>({"per_bank", "all_bank"}),
          "per_bank: a bank at a time, staggered; all_bank: all banks of a pseudo-channel at once, which "
          "closes all rows and blocks it for t_rfc")
      .when(&HbmSpec::level, DramLevel::burst, DramLevel::command)
      .optional("timings", &HbmSpec::timings,
                maybe<DramTimingSpec>(std::make_shared<const FileOr<DramTimingSpec>>(dram_timing_type())),
                "Times in place of those of the generation, or a file with them (configs/memory/timings/)")
      .when(&HbmSpec::level, DramLevel::burst, DramLevel::command)
      .optional("read_bandwidth", at(&HbmSpec::timing, &HbmEngineParams::read_bandwidth_bytes_per_s),
                any_bandwidth(), "Read bandwidth of one NPU's HBM; not used with a generation")
      .optional("write_bandwidth", at(&HbmSpec::timing, &HbmEngineParams::write_bandwidth_bytes_per_s),
                any_bandwidth(),
                "Write bandwidth of one NPU's HBM, apart from reads; not used with a generation")
      .optional("latency", at(&HbmSpec::timing, &HbmEngineParams::latency_ps), any_time(),
                "From a request to its first byte; with a generation the part outside of the stacks")
      .optional("capacity", &HbmSpec::capacity_bytes, any_size("1 B", "1000 PB"), "Memory of one NPU")
      .optional("request_bytes", at(&HbmSpec::requests, &MemoryRequesterParams::request_bytes),
                held_as<std::uint32_t>(any_size("1 B", "64 KiB")),
                "Largest memory transaction; longer accesses are cut")
      .optional("outstanding", at(&HbmSpec::requests, &MemoryRequesterParams::outstanding),
                integer<std::uint32_t>(1, 4096), "Requests of an NPU under way, loads and stores each")
      .optional("queue", &HbmSpec::queue_requests, integer<std::uint32_t>(1, 8192),
                "Requests that a memory holds; when it is full, the next one waits outside")
      .optional("rtl", &HbmSpec::rtl, list_of<HbmRtlSpec>(hbm_rtl_type(), 0, 64),
                "RTL of memory controllers beside the model or in its place, behind AXI4")
      .check(check_hbm);
  return type;
}

}  // namespace wafertlm::config
