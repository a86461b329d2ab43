// SPDX-License-Identifier: Apache-2.0
#include "platform/config/hbm_type.h"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

#include "platform/command/format.h"
#include "platform/config/value_types.h"

namespace wafertlm::config {
namespace {

TypePtr<HbmGeneration> generation_type() {
  return or_none(choice<HbmGeneration>({{"hbm2", HbmGeneration::hbm2},
                                        {"hbm2e", HbmGeneration::hbm2e},
                                        {"hbm3", HbmGeneration::hbm3},
                                        {"hbm3e", HbmGeneration::hbm3e}}),
                 HbmGeneration::none);
}

void check_efficiency(const EfficiencySpec& spec, const Check& check) {
  try {
    efficiency_table(spec);
  } catch (const std::invalid_argument& error) {
    check.fail({&spec.rows}, error.what());
  }
}

/// Keys that would change nothing are errors.
void check_unused(const HbmSpec& hbm, const Check& check) {
  const HbmSpec defaults;
  const auto refuse = [&](const auto& value, const auto& if_default, const std::string& why) {
    if (value != if_default) check.fail({&value}, why);
  };
  if (hbm.generation == HbmGeneration::none)
    refuse(hbm.stacks, defaults.stacks,
           "stacks are those of a generation; set " + check.path(&hbm.generation) + ", too");
  if (hbm.level == HbmLevel::flow) {
    const std::string why =
        "rows, banks and their queues are modelled at level burst and command only; set " +
        check.path(&hbm.level) + ": burst, or leave it out";
    refuse(hbm.address_map, defaults.address_map, why);
    refuse(hbm.queue_visits, defaults.queue_visits, why);
    refuse(hbm.write_high, defaults.write_high, why);
    refuse(hbm.write_low, defaults.write_low, why);
  }
  if (hbm.generation == HbmGeneration::none && hbm.efficiency)
    check.fail({&hbm.efficiency},
               "an efficiency table is that of a generation; set " + check.path(&hbm.generation) + ", too");
}

void check_hbm(const HbmSpec& hbm, const Check& check) {
  check_unused(hbm, check);
  if (hbm.generation == HbmGeneration::none) {
    if (hbm.level != HbmLevel::flow)
      check.fail({&hbm.level}, "this level needs to know the memory: set " + check.path(&hbm.generation) +
                                   " to hbm2, hbm2e, hbm3 or hbm3e");
    return;
  }
  if (hbm.level == HbmLevel::flow && !hbm.efficiency)
    check.fail(
        {&hbm.generation},
        fmt::format("level flow needs the efficiency of the generation: set {} to the file that `wafertlm "
                    "memory table {}` writes (configs/memory/{}.yaml), or {} to burst",
                    check.path(&hbm.efficiency), hbm.generation_name(), hbm.generation_name(),
                    check.path(&hbm.level)));
  if (hbm.efficiency && hbm.efficiency->generation != hbm.generation)
    check.fail({&hbm.efficiency, &hbm.generation},
               fmt::format("the efficiency table is that of {}, the memory is {}",
                           kHbmGenerations[static_cast<std::size_t>(hbm.efficiency->generation)],
                           hbm.generation_name()));
  if (hbm.write_low >= hbm.write_high)
    check.fail({&hbm.write_low, &hbm.write_high},
               "the low mark of the write buffer lies below its high mark");
  const DramParams dram = dram_params(hbm);
  try {
    const std::uint64_t reach = AddressMap(dram.timing, dram.map).reach_bytes();
    if (reach < hbm.capacity_bytes)
      check.fail(
          {&hbm.address_map, &hbm.capacity_bytes},
          fmt::format("the map tells {} B apart and the memory has {} B; give 'row' more bits, or no number: "
                      "then it takes what the others leave",
                      reach, hbm.capacity_bytes));
  } catch (const std::invalid_argument& error) {
    check.fail({&hbm.address_map}, error.what());
  }
  const std::uint64_t most = hbm.stacks * dram.timing.stack_bytes;
  if (hbm.capacity_bytes > most)
    check.fail({&hbm.capacity_bytes, &hbm.stacks},
               fmt::format("{} stacks of {} hold {} B; expected a capacity of at most that, or more stacks",
                           hbm.stacks, hbm.generation_name(), most));
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

DramParams dram_params(const HbmSpec& spec) {
  DramParams params;
  params.timing = dram_timing(spec.generation_name());
  params.level = spec.level == HbmLevel::command ? DramLevel::command : DramLevel::burst;
  params.map = {spec.stacks, spec.address_map == "hashed" ? "" : spec.address_map};
  params.queue.queue_visits = spec.queue_visits;
  params.queue.write_high = spec.write_high;
  params.queue.write_low = spec.write_low;
  return params;
}

std::shared_ptr<const Struct<EfficiencySpec>> efficiency_type() {
  static const auto type = [] {
    auto made = std::make_shared<Struct<EfficiencySpec>>("efficiency");
    made->required("efficiency", &EfficiencySpec::name, text(), "What was measured, and how")
        .required("generation", &EfficiencySpec::generation, generation_type(), "Of which memory")
        .required("depths", &EfficiencySpec::depths,
                  list_of<std::uint32_t>(integer<std::uint32_t>(1, 65'536), 1, 64),
                  "Numbers of outstanding requests, ascending")
        .required(
            "rows", &EfficiencySpec::rows, list_of<std::string>(text(), 1, 100'000),
            "'STACKS BYTES STRIDE WRITES E E …': how many stacks, size of the requests, their stride in "
            "sizes (0: "
            "random), percent of writes, and for each depth what part of their pins' bandwidth they deliver")
        .check(check_efficiency);
    return made;
  }();
  return type;
}

std::shared_ptr<const Struct<HbmSpec>> hbm_type() {
  const auto bandwidth = whole_quantity(bandwidth_dimension(), "1 B/s", "9 PB/s");
  const auto places = integer<std::uint32_t>(1, 1024);
  auto type = std::make_shared<Struct<HbmSpec>>("hbm");
  type->optional(
          "level", &HbmSpec::level,
          choice<HbmLevel>(
              {{"flow", HbmLevel::flow}, {"burst", HbmLevel::burst}, {"command", HbmLevel::command}}),
          "flow: bandwidth, times an efficiency table if a generation is given; burst: rows and banks; "
          "command: command by command, to calibrate the others, slow")
      .optional(
          "generation", &HbmSpec::generation, generation_type(),
          "Timings and shape of the memory; reads and writes then share its data bus, and its pins tell the "
          "bandwidth. Left out: read_bandwidth and write_bandwidth, apart from each other")
      .optional("stacks", &HbmSpec::stacks, integer<std::uint32_t>(1, 16),
                "Stacks of an NPU, of a generation")
      .optional("efficiency", &HbmSpec::efficiency,
                maybe<EfficiencySpec>(std::make_shared<const FileOr<EfficiencySpec>>(efficiency_type())),
                "Of level flow with a generation: the file that `wafertlm memory table` writes")
      .optional(
          "address_map", &HbmSpec::address_map, text(),
          "hashed, or the fields of an address from the highest bits to the lowest, as in 'row bank group:1 "
          "channel column group:1'; a number says how many bits")
      .optional("queue_visits", &HbmSpec::queue_visits, places,
                "Reads that a pseudo-channel sees at a time, each of up to a piece of the address map")
      .optional("write_high", &HbmSpec::write_high, places,
                "Writes that a pseudo-channel buffers; full, it drains")
      .optional("write_low", &HbmSpec::write_low, integer<std::uint32_t>(0, 1023), "How many a drain leaves")
      .optional("read_bandwidth", &HbmSpec::read_bandwidth_bytes_per_s, bandwidth,
                "Read bandwidth of one NPU's HBM; not used with a generation")
      .optional("write_bandwidth", &HbmSpec::write_bandwidth_bytes_per_s, bandwidth,
                "Write bandwidth of one NPU's HBM, apart from reads; not used with a generation")
      .optional("latency", &HbmSpec::latency_ps, whole_quantity(time_dimension(), "0 ps", "1 s"),
                "From a request to its first byte; with a generation the part outside of the stacks")
      .optional("capacity", &HbmSpec::capacity_bytes, whole_quantity(size_dimension(), "1 B", "1000 PB"),
                "Memory of one NPU")
      .optional("request_bytes", &HbmSpec::request_bytes, whole_quantity(size_dimension(), "1 B", "64 KiB"),
                "Largest memory transaction; longer accesses are cut")
      .optional("outstanding", &HbmSpec::outstanding, integer<std::uint32_t>(1, 4096),
                "Requests of an NPU under way, loads and stores each")
      .optional("queue", &HbmSpec::queue_requests, integer<std::uint32_t>(1, 8192),
                "Requests that a memory holds; when it is full, the next one waits outside")
      .check(check_hbm);
  return type;
}

}  // namespace wafertlm::config
