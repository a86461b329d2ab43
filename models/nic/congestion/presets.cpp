// SPDX-License-Identifier: Apache-2.0
#include "models/nic/congestion/presets.h"

#include <stdexcept>

namespace wafertlm::nic {
namespace {

constexpr TimePs kMicrosecond = 1'000'000;
constexpr double kMegabit = 125e3;  // bytes/s

DcqcnParams connectx() {
  DcqcnParams params;
  params.cnp_interval_ps = 4 * kMicrosecond;
  params.alpha_timer_ps = kMicrosecond;
  params.g = 5.0 / 1024;
  params.initial_alpha = 1023.0 / 1024;
  params.alpha_grows_by_timer = true;
  params.decrease_interval_ps = 4 * kMicrosecond;
  params.increase_timer_ps = 300 * kMicrosecond;
  params.byte_counter = 32'767;
  params.fast_recovery = 1;
  params.clamps_target = false;
  params.additive_bytes_per_s = 5 * kMegabit;
  params.hyper_bytes_per_s = 50 * kMegabit;
  return params;
}

/// Without a byte counter; every marked ACK is a CNP.
DcqcnParams ns3(TimePs timer_ps, double additive, double hyper) {
  DcqcnParams params = connectx();
  params.cnp_interval_ps = 0;
  params.g = 1.0 / 256;
  params.initial_alpha = 1;
  params.increase_timer_ps = timer_ps;
  params.byte_counter = 0;
  params.additive_bytes_per_s = additive * kMegabit;
  params.hyper_bytes_per_s = hyper * kMegabit;
  params.least_bytes_per_s = 100 * kMegabit;
  return params;
}

TimelyParams patched_timely() {
  TimelyParams params;
  params.patched = true;
  params.beta = .008;
  return params;
}

HpccParams hpcc_ns3() {
  HpccParams params;
  params.max_stage = 0;
  return params;
}

NsccParams nscc_without_trimming() {
  NsccParams params;
  params.target_rtts = 1;
  return params;
}

}  // namespace

const std::vector<SchemePreset>& scheme_presets() {
  static const std::vector<SchemePreset> all = {
      {"none", "line rate, no window", NoControlParams{}},
      {"dcqcn", "Zhu et al., SIGCOMM 2015, 40 Gb/s", DcqcnParams{}},
      {"dcqcn_connectx", "ConnectX firmware's defaults", connectx()},
      {"dcqcn_ns3", "the HPCC authors' ns-3, 100 Gb/s", ns3(300 * kMicrosecond, 20, 200)},
      {"dcqcn_astra", "ASTRA-sim's ns-3", ns3(900 * kMicrosecond, 50, 100)},
      {"dctcp", "Alizadeh et al., SIGCOMM 2010", DctcpParams{}},
      {"timely", "Mittal et al., SIGCOMM 2015", TimelyParams{}},
      {"timely_patched", "Zhu et al., CoNEXT 2016", patched_timely()},
      {"hpcc", "Li et al., SIGCOMM 2019", HpccParams{}},
      {"hpcc_ns3", "the same, without additive stages as in ns-3", hpcc_ns3()},
      {"swift", "Kumar et al., SIGCOMM 2020, values of htsim", SwiftParams{}},
      {"powertcp", "Addanki et al., NSDI 2022", PowerTcpParams{}},
      {"nscc", "Ultra Ethernet with trimming, values of htsim", NsccParams{}},
      {"nscc_without_trimming", "Ultra Ethernet without trimming, values of htsim", nscc_without_trimming()},
      {"receiver_driven", "NDP, EQDS, Ultra Ethernet's receiver credits", ReceiverDrivenParams{}},
  };
  return all;
}

const SchemeParams& scheme_preset(const std::string& name) {
  std::string names;
  for (const SchemePreset& each : scheme_presets()) {
    if (each.name == name) return each.params;
    names += (names.empty() ? "" : ", ") + each.name;
  }
  throw std::invalid_argument("there is no congestion control '" + name + "'; there are " + names);
}

}  // namespace wafertlm::nic
