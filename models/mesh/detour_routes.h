// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "models/mesh/mesh_geometry.h"
#include "models/mesh/mesh_links.h"

namespace wafertlm {

/// Routes between the routers of a mesh with holes. X-Y where that way is whole. All others are detours, on
/// channels of their own, by a table of the next side for each router and destination: short ways that keep
/// to a set of turns without a cycle, namely those of up*/down* (Autonet, 1991) and all more that close none;
/// where that leaves a router without a way, up*/down*. So no packets can wait for each other in a circle.
/// Free of SystemC. Link 4 n + s leaves router n towards side s.
class DetourRoutes {
 public:
  /// `dead` by link; also where a router has no neighbour.
  DetourRoutes(const MeshGeometry& geometry, std::vector<bool> dead);

  const std::vector<bool>& dead() const { return dead_; }
  /// The X-Y route is whole.
  bool is_xy(NpuId from, NpuId to) const { return xy_[at(from, to)]; }
  bool takes_detour(NpuId from, NpuId to) const { return !is_xy(from, to) && next_[at(from, to)] != kNone; }
  bool reaches(NpuId from, NpuId to) const { return is_xy(from, to) || next_[at(from, to)] != kNone; }
  /// Of the route between two routers, at one that is on it; local at the end. Where there is none, of the
  /// X-Y route, which crosses what does not work.
  Direction next(NpuId here, NpuId from, NpuId to) const;
  /// The same of the table, whether or not the X-Y route is whole. Requires that there is a way.
  Direction detour(NpuId here, NpuId to) const { return static_cast<Direction>(next_[at(here, to)]); }
  bool has_detour(NpuId from, NpuId to) const { return next_[at(from, to)] != kNone; }
  /// Links of that route.
  std::uint32_t hops(NpuId from, NpuId to) const;
  /// Links of detours that can wait for each other in a circle; empty if there are none. Walks all of them,
  /// and does not look at how they were made (Dally and Seitz, 1987).
  std::vector<std::size_t> find_cycle() const;

 private:
  static constexpr std::uint8_t kNone = 7;
  /// Of each link: which links may follow, a bit for each side.
  using Turns = std::vector<std::uint8_t>;

  std::size_t at(NpuId router, NpuId destination) const {
    return index_of(destination) * routers_ + index_of(router);
  }
  std::size_t beyond(std::size_t link) const;
  bool both_ways(std::size_t link) const;
  bool leads_to(const Turns& turns, std::size_t link, std::size_t goal) const;
  std::vector<std::size_t> heights() const;
  Turns allowed_turns(const std::vector<std::size_t>& height) const;
  void find_whole_xy(std::size_t to);
  void fill_shortest(const Turns& turns, std::size_t to);
  void fill_up_down(const std::vector<std::size_t>& height, std::size_t to);
  bool reaches_all(std::size_t to) const;

  MeshGeometry geometry_;   // without controllers
  std::vector<bool> dead_;  // by link
  std::size_t routers_;
  std::vector<bool> xy_;            // [destination][router]
  std::vector<std::uint8_t> next_;  // [destination][router], of detours
};

/// Keeps the routes that were made last: topologies and modules of one wafer ask for the same ones.
class DetourCache {
 public:
  std::shared_ptr<const DetourRoutes> routes(const MeshGeometry& geometry, std::vector<bool> dead);

 private:
  std::mutex mutex_;
  std::uint32_t width_ = 0;
  std::shared_ptr<const DetourRoutes> last_;
};

/// Those of a mesh with detours (MeshParams::has_detours); else null.
std::shared_ptr<const DetourRoutes> detour_routes(const MeshParams& params, const MeshGeometry& geometry);

}  // namespace wafertlm
