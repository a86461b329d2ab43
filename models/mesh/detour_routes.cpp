// SPDX-License-Identifier: Apache-2.0
#include "models/mesh/detour_routes.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace wafertlm {
namespace {

constexpr std::size_t kSides = kMeshSides;
constexpr std::size_t kEast = 0, kWest = 1, kNorth = 2, kSouth = 3;

constexpr std::size_t back(std::size_t side) {
  return static_cast<std::size_t>(opposite(static_cast<Direction>(side)));
}
constexpr std::uint8_t bit(std::size_t side) { return static_cast<std::uint8_t>(1U << side); }

}  // namespace

DetourRoutes::DetourRoutes(const MeshGeometry& geometry, std::vector<bool> dead)
    : geometry_(geometry.width(), geometry.height()),
      dead_(std::move(dead)),
      routers_(geometry.npus()),
      xy_(routers_ * routers_),
      next_(routers_ * routers_, kNone) {
  const std::vector<std::size_t> height = heights();
  const Turns turns = allowed_turns(height);
  for (std::size_t to = 0; to < routers_; ++to) {
    find_whole_xy(to);
    fill_shortest(turns, to);
    if (!reaches_all(to)) fill_up_down(height, to);
  }
}

std::size_t DetourRoutes::beyond(std::size_t link) const {
  return index_of(
      geometry_.neighbor(static_cast<NpuId>(link / kSides), static_cast<Direction>(link % kSides)));
}

/// Whether `goal` can be reached from `link` over links that may follow each other.
bool DetourRoutes::leads_to(const Turns& turns, std::size_t link, std::size_t goal) const {
  std::vector<std::size_t> open{link};
  std::vector<bool> seen(turns.size());
  seen[link] = true;
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (at == goal) return true;
    for (std::size_t side = 0; side < kSides; ++side) {
      const std::size_t ahead = kSides * beyond(at) + side;
      if ((turns[at] & bit(side)) == 0 || seen[ahead]) continue;
      seen[ahead] = true;
      open.push_back(ahead);
    }
  }
  return false;
}

/// Those of up*/down*: not from a link that leads down to one that leads up. Then all others that close no
/// cycle.
DetourRoutes::Turns DetourRoutes::allowed_turns(const std::vector<std::size_t>& height) const {
  Turns turns(dead_.size());
  const auto leads_up = [&](std::size_t link) { return height[beyond(link)] < height[link / kSides]; };
  const auto each = [&](const auto& turn) {
    for (std::size_t link = 0; link < dead_.size(); ++link) {
      if (dead_[link]) continue;
      for (std::size_t side = 0; side < kSides; ++side)
        if (const std::size_t ahead = kSides * beyond(link) + side;
            side != back(link % kSides) && !dead_[ahead] && turn(link, ahead))
          turns[link] |= bit(side);
    }
  };
  each([&](std::size_t link, std::size_t ahead) {
    return both_ways(link) && both_ways(ahead) && (leads_up(link) || !leads_up(ahead));
  });
  each([&](std::size_t link, std::size_t ahead) {
    return (turns[link] & bit(ahead % kSides)) == 0 && !leads_to(turns, ahead, link);
  });
  return turns;
}

/// From the destination outwards, nearest first, each over the first neighbour from whose way on the turn is
/// allowed.
void DetourRoutes::fill_shortest(const Turns& turns, std::size_t to) {
  std::uint8_t* const next = &next_[to * routers_];
  next[to] = static_cast<std::uint8_t>(Direction::local);
  std::vector<std::size_t> reached{to};
  for (std::size_t k = 0; k < reached.size(); ++k)
    for (std::size_t side = 0; side < kSides; ++side) {
      const std::size_t at = reached[k];
      if (!geometry_.has_neighbor(static_cast<NpuId>(at), static_cast<Direction>(side))) continue;
      const std::size_t from = beyond(kSides * at + side), link = kSides * from + back(side);
      if (next[from] != kNone || dead_[link]) continue;
      if (at != to && (turns[link] & bit(next[at])) == 0) continue;
      next[from] = static_cast<std::uint8_t>(back(side));
      reached.push_back(from);
    }
}

/// Along the destination's column, then from there along the rows.
void DetourRoutes::find_whole_xy(std::size_t to) {
  const auto walk = [&](std::size_t from, std::size_t side, const auto& visit) {
    visit(from);
    for (std::size_t at = from;
         geometry_.has_neighbor(static_cast<NpuId>(at), static_cast<Direction>(side));) {
      at = beyond(kSides * at + side);
      if (dead_[kSides * at + back(side)]) return;
      visit(at);
    }
  };
  for (const std::size_t along : {kNorth, kSouth})
    walk(to, along, [&](std::size_t corner) {
      for (const std::size_t across : {kEast, kWest})
        walk(corner, across, [&](std::size_t from) { xy_[to * routers_ + from] = true; });
    });
}

/// By router, its place in a breadth-first tree over links that live in both directions, from the middle
/// of the mesh, or the first router behind it of another part.
std::vector<std::size_t> DetourRoutes::heights() const {
  constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> height(routers_, kUnknown), order;
  for (std::size_t k = 0; k < routers_; ++k) {
    const std::size_t root =
        (index_of(geometry_.at(geometry_.width() / 2, geometry_.height() / 2)) + k) % routers_;
    if (height[root] != kUnknown) continue;
    height[root] = order.size();
    order.push_back(root);
    for (std::size_t next = height[root]; next < order.size(); ++next)
      for (std::size_t side = 0; side < kSides; ++side) {
        const std::size_t link = kSides * order[next] + side;
        if (!both_ways(link)) continue;
        const std::size_t other = beyond(link);
        if (height[other] != kUnknown) continue;
        height[other] = order.size();
        order.push_back(other);
      }
  }
  return height;
}

bool DetourRoutes::both_ways(std::size_t link) const {
  return !dead_[link] && !dead_[kSides * beyond(link) + back(link % kSides)];
}

/// Who can go down all the way does so, the others go up first. Up is towards a smaller height.
void DetourRoutes::fill_up_down(const std::vector<std::size_t>& height, std::size_t to) {
  std::uint8_t* const next = &next_[to * routers_];
  std::fill(next, next + routers_, kNone);
  next[to] = static_cast<std::uint8_t>(Direction::local);
  std::vector<std::size_t> reached{to};
  const auto spread = [&](bool down) {
    for (std::size_t k = 0; k < reached.size(); ++k)
      for (std::size_t side = 0; side < kSides; ++side) {
        const std::size_t at = reached[k];
        if (!both_ways(kSides * at + side)) continue;
        const std::size_t from = beyond(kSides * at + side);
        if (next[from] != kNone || (height[at] > height[from]) != down) continue;
        next[from] = static_cast<std::uint8_t>(back(side));
        reached.push_back(from);
      }
  };
  spread(true);
  spread(false);
}

/// Whether all routers that can reach the destination at all have a way.
bool DetourRoutes::reaches_all(std::size_t to) const {
  const std::uint8_t* const next = &next_[to * routers_];
  for (std::size_t link = 0; link < dead_.size(); ++link)
    if (!dead_[link] && next[link / kSides] == kNone && next[beyond(link)] != kNone) return false;
  return true;
}

Direction DetourRoutes::next(NpuId here, NpuId from, NpuId to) const {
  return takes_detour(from, to) ? static_cast<Direction>(next_[at(here, to)])
                                : geometry_.next_direction(here, to);
}

std::uint32_t DetourRoutes::hops(NpuId from, NpuId to) const {
  if (!takes_detour(from, to)) return geometry_.hops(from, to);
  std::uint32_t hops = 0;
  for (NpuId here = from; here != to; here = geometry_.neighbor(here, next(here, from, to))) ++hops;
  return hops;
}

std::vector<std::size_t> DetourRoutes::find_cycle() const {
  Turns used(dead_.size());
  for (std::size_t to = 0; to < routers_; ++to)
    for (std::size_t from = 0; from < routers_; ++from) {
      const std::uint8_t side = next_[to * routers_ + from];
      if (side >= kSides) continue;
      const std::size_t link = kSides * from + side;
      if (const std::uint8_t after = next_[to * routers_ + beyond(link)]; after < kSides)
        used[link] |= bit(after);
    }
  // Without what waits for nothing that is left, again and again; what remains leads into a cycle.
  std::vector<std::vector<std::size_t>> waiting(used.size());
  std::vector<unsigned> waits_for(used.size());
  for (std::size_t link = 0; link < used.size(); ++link)
    for (std::size_t side = 0; side < kSides; ++side)
      if ((used[link] & bit(side)) != 0) {
        waiting[kSides * beyond(link) + side].push_back(link);
        ++waits_for[link];
      }
  std::vector<std::size_t> free;
  for (std::size_t link = 0; link < used.size(); ++link)
    if (waits_for[link] == 0) free.push_back(link);
  for (std::size_t k = 0; k < free.size(); ++k)
    for (const std::size_t link : waiting[free[k]])
      if (--waits_for[link] == 0) free.push_back(link);
  if (free.size() == used.size()) return {};
  std::vector<std::size_t> path;
  std::size_t at = 0;
  while (waits_for[at] == 0) ++at;
  while (std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    std::size_t side = 0;
    while ((used[at] & bit(side)) == 0 || waits_for[kSides * beyond(at) + side] == 0) ++side;
    at = kSides * beyond(at) + side;
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), at));
  return path;
}

std::shared_ptr<const DetourRoutes> DetourCache::routes(const MeshGeometry& geometry,
                                                        std::vector<bool> dead) {
  const std::lock_guard lock(mutex_);
  if (!last_ || width_ != geometry.width() || last_->dead() != dead) {
    width_ = geometry.width();
    last_ = std::make_shared<const DetourRoutes>(geometry, std::move(dead));
  }
  return last_;
}

std::shared_ptr<const DetourRoutes> detour_routes(const MeshParams& params, const MeshGeometry& geometry) {
  if (!params.has_detours()) return nullptr;
  if (params.detours) return params.detours->routes(geometry, dead_links(params, geometry));
  return std::make_shared<const DetourRoutes>(geometry, dead_links(params, geometry));
}

}  // namespace wafertlm
