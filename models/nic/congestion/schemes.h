// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <variant>

#include "models/nic/congestion/dcqcn.h"
#include "models/nic/congestion/dctcp.h"
#include "models/nic/congestion/hpcc.h"
#include "models/nic/congestion/nscc.h"
#include "models/nic/congestion/powertcp.h"
#include "models/nic/congestion/receiver_driven.h"
#include "models/nic/congestion/swift.h"
#include "models/nic/congestion/timely.h"

namespace wafertlm::nic {

/// Always the line's rate, without a window.
struct NoControlParams {};

/// A scheme with its parameters. A new one is a type here and a line of scheme_of() below.
using SchemeParams = std::variant<NoControlParams, DcqcnParams, DctcpParams, TimelyParams, HpccParams,
                                  SwiftParams, PowerTcpParams, NsccParams, ReceiverDrivenParams>;

/// What a scheme wants from the network.
struct SchemeNeeds {
  const char* name;        ///< as the configuration writes it
  bool telemetry = false;  ///< stamps of every port
  bool marks = false;      ///< ECN
  bool cnps = false;       ///< the receiver answers marks with CNPs, at most one per interval
  TimePs cnp_interval_ps = 0;
  bool pulls = false;      ///< the receiver asks for packets
  bool windows = false;    ///< it waits for ACKs when its window is full
  bool remembers = false;  ///< every message leaves something behind: it never is as new again
};

SchemeNeeds needs_of(const SchemeParams& params);
std::unique_ptr<CongestionControl> make_scheme(const SchemeParams& params, const PathParams& path);

}  // namespace wafertlm::nic
