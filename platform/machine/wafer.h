// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "platform/spec/platform_spec.h"
#include "tlm/checking/checking.h"
#include "tlm/fabric/fabric.h"
#include "tlm/kernel/scheduler.h"
#include "tlm/packets/message.h"
#include "tlm/remote/remote_links.h"

namespace wafertlm {

class RtlViews;

ClassTable class_table(const config::WaferSpec& spec);

/// What every simulation of a platform has in common: scheduler, pools, traffic classes, fabric and, when the
/// platform asks for them, the checkers. Endpoints are attached by whoever uses it.
class Wafer {
 public:
  /// `reverse` builds the modules in reverse order; the results must not change. Only `with_io` has the
  /// fabric ports for the platform's I/O controllers, which then must be attached like the NPUs.
  /// `one_for_all`: only NPU 0 is attached, and stands for all.
  /// `part`: only its wafers are built.
  explicit Wafer(const config::PlatformSpec& spec, bool reverse = false, bool with_io = false,
                 bool one_for_all = false, const std::optional<Part>& part = {});
  ~Wafer();

  /// nullptr when the platform's run.checkers is false.
  CheckerSet* checkers() { return spec_.run.checkers ? &checkers_ : nullptr; }
  const config::PlatformSpec& spec() const { return spec_; }
  Fabric& fabric() { return *fabric_; }
  const Fabric& fabric() const { return *fabric_; }
  /// To other processes; null: there is one.
  RemoteLinks* remote_links() { return remote_links_.get(); }
  /// The RTL of switches; empty if there is none.
  RtlViews& rtl() { return *rtl_; }
  std::uint32_t npus() const { return spec_.wafer.npu_count(); }
  /// NPUs and attached I/O controllers.
  std::uint32_t endpoints() const { return fabric_->endpoints(); }

  /// Everything is at rest: no packet queued or pooled, all credits home, the checkers' end-of-run rules
  /// hold.
  /// @throws std::logic_error that says what is not.
  void require_rest();

 private:
  config::PlatformSpec spec_;
  CheckerSet checkers_;

 public:
  const ClassTable classes;
  PacketPool packets;
  MessagePool messages;
  Scheduler scheduler;

 private:
  std::unique_ptr<RemoteLinks> remote_links_;
  std::unique_ptr<Fabric> fabric_;
  std::unique_ptr<RtlViews> rtl_;
};

}  // namespace wafertlm
