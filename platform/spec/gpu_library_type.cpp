// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/gpu_library_type.h"

#include <memory>

#include "platform/describe/value_types.h"

namespace wafertlm::config {
namespace {

using Times = PerProtocol<TimePs>;
using Rates = PerServers<std::uint64_t>;

std::shared_ptr<const Struct<Times>> times_type() {
  static const auto type = [] {
    auto made = std::make_shared<Struct<Times>>("library_times");
    made->required("ll", &Times::ll, any_time(), "Of protocol LL: 8 bytes of data and 8 of flags")
        .required("ll128", &Times::ll128, any_time(), "Of LL128: 120 and 8")
        .required("simple", &Times::simple, any_time(), "Of Simple: data, then a flag");
    return made;
  }();
  return type;
}

std::shared_ptr<const Struct<Rates>> rates_type() {
  static const auto type = [] {
    auto made = std::make_shared<Struct<Rates>>("library_rates");
    made->required("one", &Rates::one, any_bandwidth(), "In a server")
        .required("two", &Rates::two, any_bandwidth(), "Over two servers")
        .required("more", &Rates::more, any_bandwidth(), "Over more");
    return made;
  }();
  return type;
}

std::shared_ptr<const Struct<InSwitchReduction>> in_switch_type() {
  using N = InSwitchReduction;
  static const auto type = [] {
    auto made = std::make_shared<Struct<N>>("library_nvls");
    made->required("efficiency", &N::efficiency, fraction(1),
                   "Part of the link's rate that the library counts on")
        .required("base", &N::base_ps, any_time(), "Before the first step")
        .required("step", &N::step_ps, any_time(), "Of each step: a flag over a link")
        .required("network", &N::network_ps, any_time(), "Of a step between servers")
        .required("tree_channel", &N::tree_channel, rates_type(), "A channel between servers, to choose by")
        .required("channels", &N::channels, integer<std::uint32_t>(1, 128), "Thread blocks that it uses")
        .required("chunk", &N::chunk_bytes, any_size("4 KiB", "64 MiB"), "Of a channel and head, at most");
    return made;
  }();
  return type;
}

}  // namespace

std::shared_ptr<const Struct<GpuLibrary>> gpu_library_type() {
  using L = GpuLibrary;
  static const auto type = [] {
    auto made = std::make_shared<Struct<L>>("gpu_library");
    made->required("name", &L::name, text(), "Which library, and its version")
        .required("ring_base", &L::ring_base, times_type(), "Before the first step of a ring")
        .required("tree_base", &L::tree_base, times_type(), "Before that of a tree")
        .required("ring_server", &L::ring_server, times_type(), "A step of a ring over a server's link")
        .required("tree_server", &L::tree_server, times_type(), "A step of a tree over a server's link")
        .required("ring_network", &L::ring_network, times_type(), "A step of a ring between servers")
        .required("tree_network", &L::tree_network, times_type(), "A step of a tree between servers")
        .required("ll", &L::ll, rates_type(), "What LL moves at most")
        .required("tree_channel", &L::tree_channel, rates_type(), "A channel of a tree, to choose by")
        .required("ring_ll128_channel", &L::ring_ll128_channel, rates_type(),
                  "A channel of a ring with LL128, to choose by")
        .required("tree_ll128_channel", &L::tree_ll128_channel, rates_type(),
                  "A channel of a tree with LL128, to choose by")
        .required("channels", &L::channels, integer<std::uint32_t>(1, 128),
                  "Thread blocks of a GPU that rings and trees use")
        .optional("nvls", &L::nvls, maybe<InSwitchReduction>(in_switch_type()),
                  "In-switch reduction; left out: it does not use it");
    return made;
  }();
  return type;
}

}  // namespace wafertlm::config
