// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/ns3/ns3_files.h"

#include <cmath>
#include <functional>
#include <set>
#include <sstream>
#include <stdexcept>

#include "tlm/input/number.h"

namespace wafertlm::ethernet {
namespace {

/// A line's words, with the place for errors.
class Ns3Line {
 public:
  Ns3Line(const std::string& file, std::size_t number, const std::string& text)
      : file_(file), number_(number) {
    std::istringstream words(text.substr(0, text.find('{')));
    for (std::string word; words >> word;) words_.push_back(word);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument(file_ + ":" + std::to_string(number_) + ": " + what);
  }
  std::size_t number() const { return number_; }
  std::size_t size() const { return words_.size(); }
  const std::string& word(std::size_t i) const {
    if (i >= words_.size()) fail("the line ends too early");
    return words_[i];
  }
  double number(std::size_t i) const { return parse(word(i), {{"", 1}}); }
  std::uint32_t count(std::size_t i) const {
    const double value = number(i);
    if (value < 0 || value != std::floor(value) || value > 1e9) fail("'" + word(i) + "' is no whole number");
    return static_cast<std::uint32_t>(value);
  }
  std::uint64_t bytes_per_s(std::size_t i) const {
    const double value = parse(word(i), {{"Gbps", 125e6}, {"Mbps", 125e3}, {"Gb/s", 125e6}, {"Mb/s", 125e3}});
    constexpr double kMostBytesPerS = 1e15;
    if (value < 1 || value > kMostBytesPerS) fail("'" + word(i) + "' is no data rate up to 8000000 Gbps");
    return static_cast<std::uint64_t>(std::llround(value));
  }
  TimePs time_ps(std::size_t i) const {
    const double value = parse(word(i), {{"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"s", 1e12}});
    constexpr double kMost_ps = 10e12;
    if (value < 0 || value > kMost_ps) fail("'" + word(i) + "' is no delay up to 10 s");
    return static_cast<TimePs>(std::llround(value));
  }

 private:
  double parse(const std::string& word, const std::vector<std::pair<std::string, double>>& units) const {
    const auto number = leading_number(word);
    if (!number) fail("'" + word + "' is no number");
    for (const auto& [unit, factor] : units)
      if (word.substr(number->length) == unit) return number->value * factor;
    std::string names;
    for (const auto& each : units) names += (names.empty() ? "" : ", ") + each.first;
    fail("'" + word + "' has an unknown unit" + (names.empty() ? "" : "; there are " + names));
  }

  const std::string& file_;
  std::size_t number_;
  std::vector<std::string> words_;
};

/// Lines that are not empty.
std::vector<Ns3Line> ns3_lines(std::istream& in, const std::string& file) {
  std::vector<Ns3Line> lines;
  std::size_t number = 0;
  for (std::string text; std::getline(in, text);) {
    lines.emplace_back(file, ++number, text);
    if (lines.back().size() == 0) lines.pop_back();
  }
  return lines;
}

struct Ns3Link {
  std::uint32_t from, to;
  std::uint64_t bytes_per_s;
  TimePs latency_ps;
};

constexpr TimePs kNs3Microsecond = 1'000'000;

TimePs micro(const Ns3Line& line) { return line.count(1) * kNs3Microsecond; }

}  // namespace

Ns3Topology read_ns3_topology(std::istream& in, const std::string& file) {
  const auto lines = ns3_lines(in, file);
  if (lines.empty()) throw std::invalid_argument(file + ":1: the file is empty");
  const Ns3Line& first = lines.front();
  const std::uint32_t nodes = first.count(0), switches = first.count(1), links = first.count(2);
  if (switches >= nodes) first.fail("there are no hosts");
  // Without switches the line of their numbers is empty.
  const std::size_t first_link = switches == 0 ? 1 : 2;
  if (switches != 0 && (lines.size() < 2 || lines[1].size() != switches))
    lines[lines.size() < 2 ? 0 : 1].fail("expected the numbers of " + std::to_string(switches) + " switches");
  std::set<std::uint32_t> is_switch;
  for (std::uint32_t i = 0; i < switches; ++i) {
    if (lines[1].count(i) >= nodes) lines[1].fail("there is no node " + lines[1].word(i));
    if (!is_switch.insert(lines[1].count(i)).second)
      lines[1].fail("switch " + lines[1].word(i) + " stands there twice");
  }
  if (lines.size() != links + first_link)
    lines.back().fail("expected " + std::to_string(links) + " links, there are " +
                      std::to_string(lines.size() - first_link));
  std::vector<Ns3Link> all;
  std::vector<std::uint32_t> links_of(nodes);
  std::vector<std::uint64_t> rate_of(nodes);
  for (std::size_t i = first_link; i < lines.size(); ++i) {
    const Ns3Line& line = lines[i];
    const Ns3Link link{line.count(0), line.count(1), line.bytes_per_s(2), line.time_ps(3)};
    if (link.from >= nodes || link.to >= nodes || link.from == link.to)
      line.fail("a link needs two different nodes of the network");
    if (line.size() > 4 && line.number(4) != 0) line.fail("links with errors are not modelled; expected 0");
    for (const std::uint32_t end : {link.from, link.to}) {
      ++links_of[end];
      rate_of[end] += link.bytes_per_s;
    }
    all.push_back(link);
  }
  Ns3Topology topology;
  Network& network = topology.network;
  network.add_hosts(nodes - switches);
  std::vector<std::uint32_t> number(nodes);
  std::uint32_t host = 0;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const bool is_host = is_switch.count(node) == 0;
    number[node] = is_host ? host++ : network.add_switch("switch" + std::to_string(node));
    if (!is_host || links_of[node] < 2) continue;
    const std::uint32_t inside = network.add_switch("ports of host" + std::to_string(number[node]));
    network.add_cable(number[node], inside, rate_of[node], 0);
    number[node] = inside;
    ++topology.hosts_with_several_links;
  }
  for (const Ns3Link& link : all)
    network.add_cable(number[link.from], number[link.to], link.bytes_per_s, link.latency_ps);
  try {
    network.find_routes();
  } catch (const std::invalid_argument& error) {
    first.fail(error.what());
  }
  return topology;
}

Ns3Config read_ns3_config(std::istream& in, const std::string& file) {
  const std::set<std::string> ignored = {"FLOW_FILE",       "TRACE_FILE",      "TRACE_OUTPUT_FILE",
                                         "FCT_OUTPUT_FILE", "PFC_OUTPUT_FILE", "SIMULATOR_STOP_TIME",
                                         "ENABLE_TRACE",    "QLEN_MON_FILE",   "QLEN_MON_START",
                                         "QLEN_MON_END",    "L2_CHUNK_SIZE",   "NIC_TOTAL_PAUSE_TIME",
                                         "INT_MULTI",       "PINT_LOG_BASE",   "PINT_PROB",
                                         "GLOBAL_T",        "FAST_REACT",      "MULTI_RATE",
                                         "SAMPLE_FEEDBACK", "RATE_BOUND",      "ACK_HIGH_PRIO"};
  Ns3Config config;
  EthernetParams& params = config.params;
  params.format.overhead_bytes = 38;
  params.switches.buffer_bytes = 32'000'000;
  params.switches.ecn_point = EcnPoint::leaving;
  params.nics.connects_per_message = true;
  params.nics.completes_with_ack = true;
  nic::DcqcnParams dcqcn;
  dcqcn.cnp_interval_ps = 0;  // every marked ACK
  dcqcn.alpha_grows_by_timer = true;
  dcqcn.byte_counter = 0;
  nic::DctcpParams dctcp;
  nic::HpccParams hpcc;
  nic::TimelyParams timely;
  std::uint32_t mode = 0;
  bool marks = true, has_window = false, window_varies = false;
  std::map<std::string, std::map<std::uint64_t, double>> by_speed;  // KMIN_MAP, KMAX_MAP, PMAX_MAP
  const auto expect_zero = [](const char* what) {
    return [what](const Ns3Line& line) {
      for (std::size_t i = 1; i < line.size(); ++i)
        if (line.number(i) != 0) line.fail(std::string(what) + " are not modelled; expected 0");
    };
  };
  const auto read_map = [&](const Ns3Line& line) {
    auto& map = by_speed[line.word(0)];
    if (line.size() != 2 + 2 * line.count(1))
      line.fail("expected " + line.word(1) + " pairs of speed and value");
    for (std::size_t i = 2; i < line.size(); i += 2)
      map[static_cast<std::uint64_t>(line.number(i)) / 8] = line.number(i + 1);
  };
  const std::map<std::string, std::function<void(const Ns3Line&)>> keys = {
      {"ENABLE_QCN", [&](const Ns3Line& line) { marks = line.count(1) != 0; }},
      {"USE_DYNAMIC_PFC_THRESHOLD",
       [&](const Ns3Line& line) { params.switches.threshold.dynamic = line.count(1) != 0; }},
      {"PACKET_PAYLOAD_SIZE", [&](const Ns3Line& line) { params.format.mtu_bytes = line.count(1); }},
      {"TOPOLOGY_FILE",
       [&](const Ns3Line& line) {
         config.topology_file = line.word(1);
         config.topology_line = line.number();
       }},
      {"CC_MODE",
       [&](const Ns3Line& line) {
         mode = line.count(1);
         if (mode != 1 && mode != 3 && mode != 7 && mode != 8 && mode != 12)
           line.fail("CC_MODE " + line.word(1) +
                     " is not modelled; there are 1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP), 12 (none)");
       }},
      {"ALPHA_RESUME_INTERVAL", [&](const Ns3Line& line) { dcqcn.alpha_timer_ps = micro(line); }},
      {"RATE_DECREASE_INTERVAL", [&](const Ns3Line& line) { dcqcn.decrease_interval_ps = micro(line); }},
      {"CLAMP_TARGET_RATE", [&](const Ns3Line& line) { dcqcn.clamps_target = line.count(1) != 0; }},
      {"RP_TIMER", [&](const Ns3Line& line) { dcqcn.increase_timer_ps = micro(line); }},
      {"EWMA_GAIN", [&](const Ns3Line& line) { dcqcn.g = dctcp.g = line.number(1); }},
      {"FAST_RECOVERY_TIMES", [&](const Ns3Line& line) { dcqcn.fast_recovery = line.count(1); }},
      {"RATE_AI",
       [&](const Ns3Line& line) {
         dcqcn.additive_bytes_per_s = timely.additive_bytes_per_s = static_cast<double>(line.bytes_per_s(1));
       }},
      {"RATE_HAI",
       [&](const Ns3Line& line) { dcqcn.hyper_bytes_per_s = static_cast<double>(line.bytes_per_s(1)); }},
      {"MIN_RATE",
       [&](const Ns3Line& line) {
         dcqcn.least_bytes_per_s = timely.least_bytes_per_s = static_cast<double>(line.bytes_per_s(1));
       }},
      {"DCTCP_RATE_AI",
       [&](const Ns3Line& line) { config.ignored.push_back(line.word(0)); }},  // a window grows by packets
      {"HAS_WIN", [&](const Ns3Line& line) { has_window = line.count(1) != 0; }},
      {"VAR_WIN", [&](const Ns3Line& line) { window_varies = line.count(1) != 0; }},
      {"U_TARGET", [&](const Ns3Line& line) { hpcc.eta = line.number(1); }},
      {"MI_THRESH", [&](const Ns3Line& line) { hpcc.max_stage = line.count(1); }},
      {"L2_ACK_INTERVAL", [&](const Ns3Line& line) { params.nics.transport.ack_every = line.count(1); }},
      {"L2_BACK_TO_ZERO", expect_zero("transfers that start again from 0")},
      {"ERROR_RATE_PER_LINK", expect_zero("links with errors")},
      {"LINK_DOWN", expect_zero("links that go down")},
      {"KMIN_MAP", read_map},
      {"KMAX_MAP", read_map},
      {"PMAX_MAP", read_map},
      {"BUFFER_SIZE",
       [&](const Ns3Line& line) {
         params.switches.buffer_bytes = std::uint64_t{line.count(1)} * 1024 * 1024;
       }},
  };
  const auto lines = ns3_lines(in, file);
  for (const Ns3Line& line : lines) {
    if (ignored.count(line.word(0)) != 0) {
      config.ignored.push_back(line.word(0));
      continue;
    }
    const auto key = keys.find(line.word(0));
    if (key == keys.end()) line.fail("unknown key '" + line.word(0) + "'");
    key->second(line);
  }
  if (mode == 0) throw std::invalid_argument(file + ": there is no CC_MODE");
  if (by_speed["KMIN_MAP"].size() != by_speed["KMAX_MAP"].size() ||
      by_speed["KMIN_MAP"].size() != by_speed["PMAX_MAP"].size())
    throw std::invalid_argument(file + ": KMIN_MAP, KMAX_MAP and PMAX_MAP have different speeds");
  for (const auto& [speed, kmin] : by_speed["KMIN_MAP"]) {
    if (by_speed["KMAX_MAP"].count(speed) == 0 || by_speed["PMAX_MAP"].count(speed) == 0)
      throw std::invalid_argument(file + ": KMIN_MAP, KMAX_MAP and PMAX_MAP have different speeds");
    if (!marks) continue;
    params.switches.ecn_of_speed[speed] = {static_cast<std::uint64_t>(kmin * 1000),
                                           static_cast<std::uint64_t>(by_speed["KMAX_MAP"][speed] * 1000),
                                           by_speed["PMAX_MAP"][speed]};
  }
  if (has_window) params.nics.window = window_varies ? WindowLimit::bdp_of_rate : WindowLimit::bdp;
  if (mode == 1) params.nics.scheme = dcqcn;
  if (mode == 7) params.nics.scheme = timely;
  if (mode == 8) params.nics.scheme = dctcp;
  if (mode == 3) {
    params.nics.scheme = hpcc;
    params.format.telemetry_bytes = 42;
  }
  return config;
}

}  // namespace wafertlm::ethernet
