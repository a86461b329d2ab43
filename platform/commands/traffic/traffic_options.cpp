// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/traffic/traffic_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "platform/machine/wafer.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/load.h"
#include "platform/spec/traffic/traffic_model.h"
#include "platform/text/quantity.h"
#include "tlm/input/number.h"

namespace wafertlm::traffic {
namespace {

double parse_number(const std::string& word, const std::string& text) {
  const double value = finite_number(word).value_or(0);
  if (value <= 0)
    throw std::invalid_argument(fmt::format(
        "--load {}: expected a number above 0 such as 0.3, or first:last:step such as 0.05:0.6:0.05", text));
  return value;
}

/// The number before "flits" or "flit", 0 if it is not written that way.
std::uint64_t flits_of(const std::string& packet) {
  const std::size_t unit = packet.find("flit");
  if (unit == std::string::npos) return 0;
  std::string number = packet.substr(0, unit), rest = packet.substr(unit);
  while (!number.empty() && number.back() == ' ') number.pop_back();
  if (number.empty() || number.size() > 6 || number.find_first_not_of("0123456789") != std::string::npos ||
      (rest != "flit" && rest != "flits") || std::stoul(number) == 0)
    throw std::invalid_argument(fmt::format(
        "--packet {}: expected a number of flits such as 8flits, or a size such as 4KiB", packet));
  return std::stoul(number);
}

std::string packet_override(const TrafficOptions& options) {
  const std::string key = "wafer.fabric.packet_bytes=";
  const std::uint64_t flits = flits_of(options.packet);
  if (flits == 0) {
    try {
      config::parse_size(options.packet);
    } catch (const config::QuantityError& error) {
      throw std::invalid_argument(
          fmt::format("--packet {}: expected a number of flits such as 8flits, or a size: {}", options.packet,
                      error.what()));
    }
    return key + options.packet;
  }
  std::vector<std::string> overrides = options.overrides;
  overrides.push_back(key + "1B");  // the file's own packets may not fit its buffers
  const WireFormat format = config::load_platform(options.platform_file, overrides).wafer.fabric.format;
  if (format.flit_bytes == 0)
    throw std::invalid_argument(
        fmt::format("--packet {}: the platform has no flits (wafer.fabric.flit_bytes is 0); give a size such "
                    "as 4KiB, or --set wafer.fabric.flit_bytes=16B",
                    options.packet));
  const std::uint64_t wire_bytes = flits * format.flit_bytes;
  if (wire_bytes <= format.header_bytes)
    throw std::invalid_argument(
        fmt::format("--packet {}: {} B hold no more than the header of {} B; use more flits", options.packet,
                    wire_bytes, format.header_bytes));
  return fmt::format("{}{}B", key, wire_bytes - format.header_bytes);
}

bool is_asked_for(const std::string& key, const std::vector<std::string>& overrides) {
  return std::any_of(overrides.begin(), overrides.end(),
                     [&](const std::string& each) { return each.rfind(key, 0) == 0; });
}

void leave_out_endpoint(TrafficSetup& setup, const std::vector<std::string>& overrides) {
  const config::EndpointSpec& endpoint = setup.platform.npu.endpoint;
  if (endpoint.is_ideal() && endpoint.memory == config::EndpointMemory::free) return;
  const std::string why =
      "npu.endpoint: synthetic traffic goes past the endpoints, their costs have no effect";
  if (is_asked_for("npu.endpoint", overrides))
    throw std::invalid_argument(why + "; set npu.endpoint to configs/endpoints/ideal.yaml");
  setup.notes.push_back(why);
}

/// RTL beside a switch's model changes no time.
void leave_out_rtl(TrafficSetup& setup, const std::vector<std::string>& overrides) {
  auto& rtl = setup.platform.wafer.fabric.rtl;
  if (rtl.empty()) return;
  if (is_asked_for("wafer.fabric.rtl", overrides) ||
      std::any_of(rtl.begin(), rtl.end(),
                  [](const config::RtlSpec& each) { return each.view != RtlViewMode::both; }))
    throw std::invalid_argument(
        "`wafertlm traffic` reports no RTL: leave wafer.fabric.rtl out, or use run or collective");
  rtl.clear();
  setup.notes.emplace_back(
      "wafer.fabric.rtl: left out; RTL beside the model (view: both) changes no time, run and collective "
      "compare them");
}

}  // namespace

bool carries_messages(const TrafficOptions& options) {
  const config::WaferSpec wafer = config::load_platform(options.platform_file, options.overrides).wafer;
  return !fabric_kind(wafer).abilities(wafer.fabric).packets;
}

std::vector<double> parse_loads(const std::string& text) {
  std::vector<double> numbers;
  for (std::size_t at = 0;;) {
    const std::size_t colon = text.find(':', at);
    numbers.push_back(parse_number(text.substr(at, colon == std::string::npos ? colon : colon - at), text));
    if (colon == std::string::npos) break;
    at = colon + 1;
  }
  if (numbers.size() == 1) return numbers;
  if (numbers.size() != 3) parse_number("", text);
  const double count = std::floor((numbers[1] - numbers[0]) / numbers[2] + 1e-6);
  if (count < 0 || count > 9999)
    throw std::invalid_argument(
        fmt::format("--load {}: the last load must not be below the first, and at most 10000 points", text));
  std::vector<double> loads;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(count); ++i)  // 0.15, not 0.15000000000000002
    loads.push_back(std::round((numbers[0] + static_cast<double>(i) * numbers[2]) * 1e9) / 1e9);
  return loads;
}

TrafficSetup resolve_common(const TrafficOptions& options, const std::vector<std::string>& overrides) {
  TrafficSetup setup;
  setup.platform = config::load_platform(options.platform_file, overrides);
  if (!setup.platform.run.faults.empty())
    throw std::invalid_argument(
        "run.faults: synthetic traffic is measured over time, and a fault has one; leave it out");
  if (setup.platform.run.fault)
    throw std::invalid_argument(
        "run.fault: synthetic traffic has no values and no receiver that misses a packet; leave it out");
  if (setup.platform.run.acceleration == config::Acceleration::sampled)
    throw std::invalid_argument("run.acceleration: sampled has no effect on synthetic traffic; leave it out");
  if (setup.platform.run.functional)
    throw std::invalid_argument("run.functional: synthetic traffic carries no values; leave it out");
  leave_out_endpoint(setup, overrides);
  leave_out_rtl(setup, overrides);
  setup.pattern = options.pattern;
  setup.traffic_class = options.traffic_class;
  setup.warmup_packets = options.warmup_packets;
  setup.measure_packets = options.measure_packets;
  setup.seed = options.seed.value_or(setup.platform.run.seed);
  setup.pattern.seed = setup.seed;
  if (!setup.traffic_class.empty()) class_table(setup.platform.wafer).find(setup.traffic_class);
  return setup;
}

TrafficSetup resolve(const TrafficOptions& options) {
  std::vector<std::string> overrides = options.overrides;
  if (!options.packet.empty()) overrides.push_back(packet_override(options));
  TrafficSetup setup = resolve_common(options, overrides);
  const config::WaferSpec& wafer = setup.platform.wafer;
  const TrafficUnits units = traffic_units(wafer);
  for (const double load : parse_loads(options.load))
    if (load > static_cast<double>(units.packet_flits))
      throw std::invalid_argument(
          fmt::format("--load {:g}: a source makes at most one packet per cycle, so the load is at most {} "
                      "flits per cycle",
                      load, units.packet_flits));
  make_pattern(setup.pattern, fabric_kind(wafer).traffic(wafer).grid);
  return setup;
}

}  // namespace wafertlm::traffic
