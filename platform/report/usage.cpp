// SPDX-License-Identifier: Apache-2.0
#include "platform/report/usage.h"

#include <algorithm>
#include <cmath>

#include "platform/machine/wafer.h"

namespace wafertlm {

Usage::Usage(const Machine& machine)
    : places_(machine_links(machine)),
      links_(machine_links(machine).size()),
      memories_(2 * std::size_t{machine.wafer().npus()}) {}

void Usage::sent(std::size_t observed, PortId output, const Packet&, TimePs start_ps, TimePs end_ps) {
  const std::size_t link = places_.of(observed, output);
  if (link != LinkPlaces::kNone) links_.add(link, start_ps, end_ps, static_cast<double>(end_ps - start_ps));
}

void Usage::moved(std::size_t observed, bool write, std::uint64_t bytes, TimePs start_ps, TimePs end_ps) {
  memories_.add(2 * observed + (write ? 1 : 0), start_ps, end_ps, static_cast<double>(bytes));
}

nlohmann::ordered_json Usage::links_json(TimePs end_ps) const {
  const TimePs width = links_.width_ps();
  nlohmann::ordered_json busy = nlohmann::ordered_json::array();
  for (std::size_t link = 0; link < links_.series(); ++link) {
    auto row = nlohmann::ordered_json::array();
    const std::vector<double>& sums = links_.sums(link);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      // The last bucket ends with the run.
      const TimePs part = std::min(width, std::max<TimePs>(end_ps, i * width + 1) - i * width);
      row.push_back(std::llround(std::min(1.0, sums[i] / static_cast<double>(part)) * 1e4));
    }
    busy.push_back(std::move(row));
  }
  return {{"bucket_ps", width}, {"busy", std::move(busy)}};
}

nlohmann::ordered_json Usage::memories_json() const {
  nlohmann::ordered_json read = nlohmann::ordered_json::array(), written = read;
  for (std::size_t series = 0; series < memories_.series(); ++series) {
    auto row = nlohmann::ordered_json::array();
    for (const double bytes : memories_.sums(series)) row.push_back(std::llround(bytes));
    (series % 2 == 0 ? read : written).push_back(std::move(row));
  }
  return {{"bucket_ps", memories_.width_ps()}, {"read", std::move(read)}, {"written", std::move(written)}};
}

}  // namespace wafertlm
