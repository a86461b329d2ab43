// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "platform/fabrics/ethernet/ethernet_results.h"
#include "platform/text/aligned.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using Json = FabricResults::Json;
constexpr std::size_t kShown = 3;

std::string time_text(const Json& of) {
  return format_time(static_cast<TimePs>(std::llround(of.get<double>() * 1e12)));
}
std::string bytes_text(const Json& of) {
  return format_bytes(static_cast<std::uint64_t>(std::llround(of.get<double>())));
}
std::string ratio_text(const Json& of) { return fmt::format("{:.3f}", of.get<double>()); }

/// A distribution in a row.
template <typename Text>
std::vector<std::string> row_of(const char* what, const Json& of, Text text) {
  std::vector<std::string> row{what};
  for (const char* each : {"mean", "p50", "p90", "p99", "most"}) row.push_back(text(of[each]));
  return row;
}

std::vector<const Json*> longest_paused(const Json& ports) {
  std::vector<const Json*> paused;
  for (const Json& port : ports)
    if (port["paused_s"].get<double>() > 0) paused.push_back(&port);
  std::stable_sort(paused.begin(), paused.end(), [](const Json* a, const Json* b) {
    return (*a)["paused_s"].get<double>() > (*b)["paused_s"].get<double>();
  });
  paused.resize(std::min(paused.size(), kShown));
  return paused;
}

}  // namespace

std::string ethernet_text(const Json& of) {
  const auto count = [&](const char* name) { return of[name].get<std::uint64_t>(); };
  std::string text = fmt::format(
      "\nEthernet: {} messages in {} data packets, {} sent again; {} marked, {} lost, {} trimmed; {} pause "
      "frames\n",
      count("messages"), count("data_packets"), count("retransmissions"), count("marks"), count("drops"),
      count("trims"), count("pauses"));
  text += aligned({{"", "mean", "50 %", "90 %", "99 %", "most"},
                   row_of("completion of a message", of["completion_s"], time_text),
                   row_of("… over that alone", of["slowdown"], ratio_text),
                   row_of("data before a packet", of["queue_bytes"], bytes_text)},
                  "lr");
  for (const Json* port : longest_paused(of["ports"])) {
    const Json& root = (*port)["paused_by"][0];
    text += fmt::format("  {} was paused for {}, {} of it because {} took too little\n",
                        (*port)["name"].get<std::string>(), time_text((*port)["paused_s"]),
                        time_text(root["paused_s"]), root["name"].get<std::string>());
  }
  return text;
}

}  // namespace wafertlm
