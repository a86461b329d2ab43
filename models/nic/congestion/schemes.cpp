// SPDX-License-Identifier: Apache-2.0
#include "models/nic/congestion/schemes.h"

namespace wafertlm::nic {
namespace {

class NoControl final : public CongestionControl {
 public:
  NoControl(const NoControlParams&, const PathParams& path) : CongestionControl(path) {}
  bool is_as_new() const override { return true; }
};

template <typename Params>
struct SchemeOf;
#define WAFERTLM_SCHEME(params, type) \
  template <>                         \
  struct SchemeOf<params> {           \
    using Type = type;                \
  }
WAFERTLM_SCHEME(NoControlParams, NoControl);
WAFERTLM_SCHEME(DcqcnParams, Dcqcn);
WAFERTLM_SCHEME(DctcpParams, Dctcp);
WAFERTLM_SCHEME(TimelyParams, Timely);
WAFERTLM_SCHEME(HpccParams, Hpcc);
WAFERTLM_SCHEME(SwiftParams, Swift);
WAFERTLM_SCHEME(PowerTcpParams, PowerTcp);
WAFERTLM_SCHEME(NsccParams, Nscc);
WAFERTLM_SCHEME(ReceiverDrivenParams, ReceiverDriven);
#undef WAFERTLM_SCHEME

SchemeNeeds needs(const NoControlParams&) { return {"none"}; }
SchemeNeeds needs(const DcqcnParams& params) {
  return {"dcqcn", false, true, true, params.cnp_interval_ps, false};
}
SchemeNeeds needs(const DctcpParams&) { return {"dctcp", false, true, false, 0, false, true, true}; }
SchemeNeeds needs(const TimelyParams&) { return {"timely", false, false, false, 0, false, false, true}; }
SchemeNeeds needs(const HpccParams&) { return {"hpcc", true, false, false, 0, false, true, true}; }
SchemeNeeds needs(const SwiftParams&) { return {"swift", false, false, false, 0, false, true, true}; }
SchemeNeeds needs(const PowerTcpParams&) { return {"powertcp", true, false, false, 0, false, true, true}; }
SchemeNeeds needs(const NsccParams&) { return {"nscc", false, true, false, 0, false, true, true}; }
SchemeNeeds needs(const ReceiverDrivenParams&) { return {"receiver_driven", false, false, false, 0, true}; }

}  // namespace

SchemeNeeds needs_of(const SchemeParams& params) {
  return std::visit([](const auto& each) { return needs(each); }, params);
}

std::unique_ptr<CongestionControl> make_scheme(const SchemeParams& params, const PathParams& path) {
  return std::visit(
      [&](const auto& each) -> std::unique_ptr<CongestionControl> {
        return std::make_unique<typename SchemeOf<std::decay_t<decltype(each)>>::Type>(each, path);
      },
      params);
}

}  // namespace wafertlm::nic
