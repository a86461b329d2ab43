// SPDX-License-Identifier: Apache-2.0
#include "models/mesh/mesh_topology.h"

#include <cstdlib>
#include <numeric>

namespace wafertlm {
namespace {

/// The smallest rectangle that holds a group.
struct Rectangle {
  Rectangle(const Group& group, const MeshGeometry& mesh) : left(mesh.width()), top(mesh.height()) {
    for (const NpuId npu : group) {
      left = std::min(left, mesh.column(npu));
      right = std::max(right, mesh.column(npu));
      top = std::min(top, mesh.row(npu));
      bottom = std::max(bottom, mesh.row(npu));
    }
    full = group.size() == std::size_t{width()} * height();
  }

  std::uint32_t width() const { return right - left + 1; }
  std::uint32_t height() const { return bottom - top + 1; }
  bool is_grid() const { return full && width() > 1 && height() > 1; }

  std::uint32_t left, right = 0, top, bottom = 0;
  bool full;  // every NPU in it is a member
};

/// Position along a cycle of neighbours through a w × h rectangle with h even: along the first row to the
/// last column, back in a snake over the columns from 1 on, home along column 0.
std::uint64_t cycle_position(std::uint32_t column, std::uint32_t row, std::uint32_t w, std::uint32_t h) {
  if (column == 0) return row == 0 ? 0 : std::uint64_t{w} * h - row;
  const std::uint64_t along = row % 2 == 0 ? column - 1 : w - 1 - column;
  return 1 + std::uint64_t{row} * (w - 1) + along;
}

std::uint32_t towards(std::uint32_t from, std::uint32_t to) {
  return from == to ? from : from < to ? from + 1 : from - 1;
}

/// Of two members the larger of the differences in column + row and in column - row is their distance.
class MeshDistances final : public GroupDistances {
 public:
  MeshDistances(const Group& group, const MeshTopology& topology)
      : topology_(topology), mesh_(topology.geometry()), member_(mesh_.npus(), false) {
    for (const NpuId npu : group) {
      member_[index_of(npu)] = true;
      min_sum_ = std::min(min_sum_, sum(npu));
      max_sum_ = std::max(max_sum_, sum(npu));
      min_skew_ = std::min(min_skew_, skew(npu));
      max_skew_ = std::max(max_skew_, skew(npu));
    }
  }

  TimePs nearest_ps(NpuId npu) const override { return topology_.head_latency_ps(nearest_hops(npu)); }
  TimePs farthest_ps(NpuId npu) const override {
    const std::uint32_t at_sum = sum(npu), at_skew = skew(npu);
    return topology_.head_latency_ps(
        std::max({max_sum_ - at_sum, at_sum - min_sum_, max_skew_ - at_skew, at_skew - min_skew_}));
  }
  TimePs diameter_ps() const {
    return topology_.head_latency_ps(std::max(max_sum_ - min_sum_, max_skew_ - min_skew_));
  }

 private:
  std::uint32_t sum(NpuId npu) const { return mesh_.column(npu) + mesh_.row(npu); }
  std::uint32_t skew(NpuId npu) const { return mesh_.column(npu) + mesh_.height() - mesh_.row(npu); }

  bool is_member(std::int64_t x, std::int64_t y) const {
    return x >= 0 && y >= 0 && x < mesh_.width() && y < mesh_.height() &&
           member_[static_cast<std::size_t>(y) * mesh_.width() + static_cast<std::size_t>(x)];
  }

  /// Outwards: members that are far from each other are few.
  std::uint32_t nearest_hops(NpuId npu) const {
    const auto x0 = static_cast<std::int64_t>(mesh_.column(npu)),
               y0 = static_cast<std::int64_t>(mesh_.row(npu));
    for (std::int64_t hops = 1; hops < std::int64_t{mesh_.width()} + mesh_.height(); ++hops)
      for (std::int64_t dx = -hops; dx <= hops; ++dx) {
        const std::int64_t dy = hops - std::abs(dx);
        if (is_member(x0 + dx, y0 + dy) || is_member(x0 + dx, y0 - dy))
          return static_cast<std::uint32_t>(hops);
      }
    return 0;  // alone
  }

  const MeshTopology& topology_;
  const MeshGeometry& mesh_;
  std::vector<bool> member_;
  std::uint32_t min_sum_ = ~0U, max_sum_ = 0, min_skew_ = ~0U, max_skew_ = 0;
};

/// Half-open, from `from` to `to`.
void add_stretch(std::vector<std::int64_t>& up, std::vector<std::int64_t>& down, std::size_t first,
                 std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
  if (from == to) return;
  std::vector<std::int64_t>& line = from < to ? up : down;
  line[first + std::min(from, to)] += static_cast<std::int64_t>(bytes);
  line[first + std::max(from, to)] -= static_cast<std::int64_t>(bytes);
}

/// Members of a group in the positions of a line.
struct MemberCount {
  std::vector<std::uint64_t> at;
  std::uint64_t members = 0;

  explicit MemberCount(std::uint32_t positions) : at(positions) {}
  void add(std::uint32_t position) {
    ++at[position];
    ++members;
  }
};

/// For every link of `line`, up and down: how many messages of all pairs cross it, if `all` are the members
/// at each position of all lines. carry(position, up, down)
template <typename Carry>
void for_links(const MemberCount& line, const MemberCount& all, const Carry& carry) {
  std::uint64_t before = 0, all_before = 0;
  for (std::uint32_t position = 0; position + 1 < line.at.size(); ++position) {
    before += line.at[position];
    all_before += all.at[position];
    carry(position, before * (all.members - all_before), (line.members - before) * all_before);
  }
}

/// Bytes on the links of a mesh. A message costs O(1): what goes along a row or column is added at the first
/// link of a stretch and taken away behind the last.
class MeshLinkLoads final : public LinkLoads {
 public:
  MeshLinkLoads(const MeshGeometry& mesh, const TopologyLink& horizontal, const TopologyLink& vertical)
      : mesh_(mesh),
        horizontal_(horizontal),
        vertical_(vertical),
        east_((mesh.width() + 1) * mesh.height()),
        west_(east_.size()),
        south_((mesh.height() + 1) * mesh.width()),
        north_(south_.size()) {}

  void add(NpuId from, NpuId to, std::uint64_t bytes) override {
    add_in_row(mesh_.row(from), mesh_.column(from), mesh_.column(to), bytes);
    add_in_column(mesh_.column(to), mesh_.row(from), mesh_.row(to), bytes);
  }
  /// Routers do not distribute: each message on its own.
  void add_flow(const Group& contributors, const Group& receivers, std::uint64_t bytes) override {
    for (const NpuId from : contributors)
      for (const NpuId to : receivers) add(from, to, bytes);
  }
  /// X first, so a link of a row carries what the members before it in the row send to all members beyond it,
  /// one of a column the other way round.
  void add_all_pairs(const Group& group, std::uint64_t bytes) override {
    const std::uint32_t w = mesh_.width(), h = mesh_.height();
    std::vector<MemberCount> rows(h, MemberCount(w)), columns(w, MemberCount(h));
    MemberCount by_column(w), by_row(h);
    for (const NpuId npu : group) {
      const std::uint32_t column = mesh_.column(npu), row = mesh_.row(npu);
      rows[row].add(column);
      columns[column].add(row);
      by_column.add(column);
      by_row.add(row);
    }
    for (std::uint32_t row = 0; row < h; ++row)
      for_links(rows[row], by_column, [&](std::uint32_t at, std::uint64_t east, std::uint64_t west) {
        add_in_row(row, at, at + 1, east * bytes);
        add_in_row(row, at + 1, at, west * bytes);
      });
    // The last links of a route: what comes from all members before.
    for (std::uint32_t column = 0; column < w; ++column)
      for_links(columns[column], by_row, [&](std::uint32_t at, std::uint64_t north, std::uint64_t south) {
        add_in_column(column, at, at + 1, south * bytes);
        add_in_column(column, at + 1, at, north * bytes);
      });
  }
  std::uint64_t busiest_bytes() const override {
    return std::max({most(east_), most(west_), most(south_), most(north_)});
  }
  TimePs busiest_ps() const override {
    return std::max(time_ps(std::max(most(east_), most(west_)), horizontal_),
                    time_ps(std::max(most(south_), most(north_)), vertical_));
  }

 private:
  /// By line and position in it, with one position more than there are NPUs.
  using Changes = std::vector<std::int64_t>;
  static std::uint64_t most(const Changes& lines) {
    std::int64_t busiest = 0, load = 0;
    for (const std::int64_t change : lines) busiest = std::max(busiest, load += change);
    return static_cast<std::uint64_t>(busiest);
  }
  static TimePs time_ps(std::uint64_t bytes, const TopologyLink& link) {
    return bytes == 0 ? 0 : link.head_ps + transfer_time_ps(bytes, link.bytes_per_s);
  }
  void add_in_row(std::uint32_t row, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    add_stretch(east_, west_, std::size_t{row} * (mesh_.width() + 1), from, to, bytes);
  }
  void add_in_column(std::uint32_t column, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    add_stretch(south_, north_, std::size_t{column} * (mesh_.height() + 1), from, to, bytes);
  }

  const MeshGeometry& mesh_;
  TopologyLink horizontal_, vertical_;
  Changes east_, west_, south_, north_;
};

}  // namespace

MeshTopology::MeshTopology(const MeshParams& params)
    : Topology({params.injection_bytes_per_s, params.ejection_bytes_per_s, params.io_bytes_per_s,
                params.io_latency_ps}),
      geometry_(params.width, params.height, params.io),
      io_(params.io),
      rates_(params, geometry_),
      ends_ps_(params.injection_latency_ps + params.router_pipeline_ps + params.ejection_latency_ps),
      hop_ps_(params.link_latency_ps + params.router_pipeline_ps),
      dead_npu_(npus()) {
  if (npus() == 0) return;
  for (const NpuId npu : params.idle_npus()) dead_npu_[index_of(npu)] = true;
  if (params.has_holes()) {
    dead_ = dead_links(params, geometry_);
    detours_ = detour_routes(params, geometry_);
  }
  cuts_.push_back(straight_cuts(Direction::east, Direction::west));
  cuts_.push_back(straight_cuts(Direction::south, Direction::north));
}

/// Every straight cut across links of two opposite sides: lines of NPUs, and the links that work between two
/// of them.
CutFamily MeshTopology::straight_cuts(Direction out, Direction in) const {
  const bool by_column = out == Direction::east;
  CutFamily family;
  family.kind = CutFamily::Kind::prefixes;
  family.rates.resize((by_column ? geometry_.width() : geometry_.height()) - 1);
  for (std::uint32_t n = 0; n < npus(); ++n) {
    const auto npu = static_cast<NpuId>(n);
    const std::uint32_t line = by_column ? geometry_.column(npu) : geometry_.row(npu);
    family.part_of.push_back(line);
    if (!geometry_.has_neighbor(npu, out)) continue;
    family.rates[line].out += rate(npu, out);
    family.rates[line].in += rate(geometry_.neighbor(npu, out), in);
  }
  // What would cross a cut without links is refused for want of a route, and not for its time.
  for (CutFamily::Rate& each : family.rates)
    each = {each.out == 0 ? rates_.of(out) : each.out, each.in == 0 ? rates_.of(in) : each.in};
  return family;
}

std::string MeshTopology::link_name(std::size_t number) const {
  const auto router = static_cast<NpuId>(number / 4);
  const NpuId next = geometry_.neighbor(router, static_cast<Direction>(number % 4));
  return "router" + std::to_string(index_of(router)) + "->router" + std::to_string(index_of(next));
}

LinkGraph MeshTopology::link_graph() const {
  LinkGraph graph;
  graph.npus = npus();
  for (const char* const kind : {"npu", "router"})
    for (std::uint32_t n = 0; n < npus(); ++n) graph.vertices.push_back(kind + std::to_string(n));
  for (std::uint32_t n = 0; n < npus(); ++n) {
    const std::uint32_t router = npus() + n;
    graph.links.push_back({n, router, ports().injection_bytes_per_s});
    graph.links.push_back({router, n, ports().ejection_bytes_per_s});
    for (const Direction side : {Direction::east, Direction::west, Direction::north, Direction::south})
      if (const auto npu = static_cast<NpuId>(n); works(npu, side))
        graph.links.push_back({router,
                               npus() + static_cast<std::uint32_t>(index_of(geometry_.neighbor(npu, side))),
                               rate(npu, side)});
  }
  return graph;
}

std::optional<std::vector<NpuId>> MeshTopology::neighbors(NpuId npu) const {
  std::vector<NpuId> found;
  for (const Side side : kAllSides) {
    const Direction to = direction_of(side);
    if (!geometry_.has_neighbor(npu, to)) continue;
    const NpuId other = geometry_.neighbor(npu, to);
    if (works(npu, to) || works(other, opposite(to))) found.push_back(other);
  }
  return found;
}

void MeshTopology::append_route(NpuId from, NpuId to, std::vector<std::size_t>& route) const {
  const NpuId first = geometry_.router(from), last = geometry_.router(to);
  for (NpuId at = first; at != last;) {
    const Direction side = detours_ ? detours_->next(at, first, last) : geometry_.next_direction(at, to);
    route.push_back(mesh_link(at, side));
    at = geometry_.neighbor(at, side);
  }
}

std::uint64_t MeshTopology::path_bytes_per_s(NpuId from, NpuId to) const {
  if (detours_ || !rates_.are_even()) return Topology::path_bytes_per_s(from, to);
  std::uint64_t slowest = port_bytes_per_s();
  if (geometry_.column(from) != geometry_.column(to)) slowest = std::min(slowest, rates_.of(Direction::east));
  if (geometry_.row(from) != geometry_.row(to)) slowest = std::min(slowest, rates_.of(Direction::south));
  return slowest;
}

CutFamily::Rate MeshTopology::links_bytes_per_s(NpuId router) const {
  CutFamily::Rate rates;
  for (const Side side : kAllSides) {
    const Direction to = direction_of(side);
    if (!geometry_.has_neighbor(router, to)) continue;
    rates.out += rate(router, to);
    rates.in += rate(geometry_.neighbor(router, to), opposite(to));
  }
  const std::uint64_t one = rates_.of(Direction::east);
  return {rates.out == 0 ? one : rates.out, rates.in == 0 ? one : rates.in};
}

std::unique_ptr<LinkLoads> MeshTopology::link_loads() const {
  if (detours_ || !rates_.are_even()) return Topology::link_loads();
  return std::make_unique<MeshLinkLoads>(geometry_, link(static_cast<std::size_t>(Direction::east)),
                                         link(static_cast<std::size_t>(Direction::south)));
}

AllPairs MeshTopology::all_pairs(const Group& group) const {
  if (detours_ || !rates_.are_even()) return Topology::all_pairs(group);
  if (group.size() < 2) return {0, port_bytes_per_s()};
  std::uint64_t slowest = port_bytes_per_s();
  for (const NpuId npu : group) slowest = std::min(slowest, path_bytes_per_s(group[0], npu));
  return {MeshDistances(group, *this).diameter_ps(), slowest};
}

/// Whatever way a message takes, it crosses as many links along the rows as its ends are columns apart.
std::vector<Crossings> MeshTopology::all_pairs_crossings(const Group& group) const {
  std::vector<std::uint32_t> columns, rows;
  for (const NpuId npu : group) {
    columns.push_back(geometry_.column(npu));
    rows.push_back(geometry_.row(npu));
  }
  const auto along = [&](std::uint32_t size, const std::vector<std::uint32_t>& at, Direction out,
                         Direction in) {
    Uint128 bytes_per_s = 0;
    for (std::uint32_t n = 0; n < npus(); ++n)
      for (const Direction side : {out, in}) bytes_per_s += rate(static_cast<NpuId>(n), side);
    return Crossings{all_pairs_hops({FabricDimension::Kind::line, size, 0, 0}, at), bytes_per_s};
  };
  return {along(geometry_.width(), columns, Direction::east, Direction::west),
          along(geometry_.height(), rows, Direction::south, Direction::north)};
}

std::unique_ptr<GroupDistances> MeshTopology::distances(const Group& group) const {
  return std::make_unique<MeshDistances>(group, *this);
}

std::vector<std::uint32_t> MeshTopology::ring_order(const Group& group) const {
  const Rectangle box(group, geometry_);
  const std::uint32_t w = box.width(), h = box.height();
  const bool whole = box.is_grid();
  const auto position = [&](std::uint32_t rank) -> std::uint64_t {
    const std::uint32_t column = geometry_.column(group[rank]) - box.left,
                        row = geometry_.row(group[rank]) - box.top;
    if (whole && h % 2 == 0) return cycle_position(column, row, w, h);
    if (whole && w % 2 == 0) return cycle_position(row, column, h, w);
    return std::uint64_t{row} * w + (row % 2 == 0 ? column : w - 1 - column);
  };
  std::vector<std::uint32_t> order(group.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return position(a) < position(b); });
  if (!detours_) return order;
  const auto length = [&](const std::vector<std::uint32_t>& ring) {
    std::uint64_t links = 0;
    for (std::size_t i = 0; i < ring.size(); ++i)
      links += hops(group[ring[i]], group[ring[(i + 1) % ring.size()]]);
    return links;
  };
  std::vector<std::uint32_t> other = Topology::ring_order(group);
  return length(other) < length(order) ? other : order;
}

std::vector<std::uint32_t> MeshTopology::spanning_parents(const Group& group, std::uint32_t root) const {
  if (detours_ || !Rectangle(group, geometry_).full) return Topology::spanning_parents(group, root);
  std::vector<std::uint32_t> rank_of(npus()), parent(group.size());
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) rank_of[index_of(group[rank])] = rank;
  const std::uint32_t x0 = geometry_.column(group[root]), y0 = geometry_.row(group[root]);
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
    const std::uint32_t x = geometry_.column(group[rank]), y = geometry_.row(group[rank]);
    const NpuId from = y != y0 ? geometry_.at(x, towards(y, y0)) : geometry_.at(towards(x, x0), y);
    parent[rank] = rank_of[index_of(from)];
  }
  return parent;
}

/// Of a full rectangle: all links between neighbours in it work.
bool MeshTopology::is_whole(const Group& group) const {
  std::vector<bool> is_member(npus());
  for (const NpuId npu : group) is_member[index_of(npu)] = true;
  for (const NpuId npu : group)
    for (const Side side : kAllSides) {
      const Direction to = direction_of(side);
      if (geometry_.has_neighbor(npu, to) && is_member[index_of(geometry_.neighbor(npu, to))] &&
          !works(npu, to))
        return false;
    }
  return true;
}

std::uint64_t MeshTopology::slowest_bytes_per_s(const Group& group, Direction out, Direction in) const {
  std::uint64_t slowest = rates_.of(out);
  if (rates_.are_even()) return slowest;
  std::vector<bool> is_member(npus());
  for (const NpuId npu : group) is_member[index_of(npu)] = true;
  for (const NpuId npu : group)
    for (const Direction side : {out, in})
      if (works(npu, side) && is_member[index_of(geometry_.neighbor(npu, side))])
        slowest = std::min(slowest, rate(npu, side));
  return slowest;
}

std::optional<GroupGrid> MeshTopology::group_grid(const Group& group) const {
  const Rectangle box(group, geometry_);
  if (!box.is_grid() || (detours_ && !is_whole(group))) return {};
  const auto ring = [&](std::uint64_t n, std::uint64_t bytes_per_s) -> GroupGrid::Ring {
    return {std::min(bytes_per_s, port_bytes_per_s() / 2), ends_ps_ + (2 * n - 3) * hop_ps_ / (n - 1)};
  };
  GroupGrid grid{box.width(),
                 box.height(),
                 2,
                 std::vector<std::uint32_t>(group.size()),
                 ring(box.width(), slowest_bytes_per_s(group, Direction::east, Direction::west)),
                 ring(box.height(), slowest_bytes_per_s(group, Direction::south, Direction::north))};
  for (std::uint32_t rank = 0; rank < group.size(); ++rank)
    grid.at[(geometry_.row(group[rank]) - box.top) * grid.width + geometry_.column(group[rank]) - box.left] =
        rank;
  return grid;
}

/// The NPU that `npu` gets the stream of `port` from; itself at the entry. The stem runs along the row
/// (column) of the entry, branches leave it at right angles.
NpuId MeshTopology::io_parent(NpuId npu, const IoPort& port) const {
  const std::uint32_t column = geometry_.column(npu), row = geometry_.row(npu);
  const std::uint32_t to_column = geometry_.column(port.npu), to_row = geometry_.row(port.npu);
  const bool stem_is_row = port.side == Side::east || port.side == Side::west;
  const bool on_stem = stem_is_row ? row == to_row : column == to_column;
  return stem_is_row == on_stem ? geometry_.at(towards(column, to_column), row)
                                : geometry_.at(column, towards(row, to_row));
}

std::vector<IoParents> MeshTopology::io_trees(std::uint32_t controller,
                                              const std::vector<bool>& is_member) const {
  if (detours_ || std::find(dead_npu_.begin(), dead_npu_.end(), true) != dead_npu_.end())
    return {tree_around_holes(controller, is_member)};
  IoParents parents(npus(), kNoNpu);
  for (std::uint32_t n = 0; n < npus(); ++n) {
    if (!is_member[n]) continue;
    auto npu = static_cast<NpuId>(n);
    while (parents[index_of(npu)] == kNoNpu) {
      const NpuId from = io_parent(npu, io_[controller]);
      parents[index_of(npu)] = from == npu ? io_controller(controller) : from;
      npu = from;
    }
  }
  return {parents};
}

/// Breadth first from the controller's router, over links that work towards the NPUs. Who gets the stream
/// from a router whose NPU does not work gets it from whoever that one would.
IoParents MeshTopology::tree_around_holes(std::uint32_t controller,
                                          const std::vector<bool>& is_member) const {
  IoParents nearest(npus(), kNoNpu), parents(npus(), kNoNpu);
  const NpuId root = io_[controller].npu;
  std::vector<NpuId> reached{root};
  nearest[index_of(root)] = io_controller(controller);
  for (std::size_t k = 0; k < reached.size(); ++k)
    for (const Side side : kAllSides) {
      const NpuId at = reached[k];
      if (!works(at, direction_of(side))) continue;
      const NpuId next = geometry_.neighbor(at, direction_of(side));
      if (nearest[index_of(next)] != kNoNpu) continue;
      nearest[index_of(next)] = dead_npu_[index_of(at)] ? nearest[index_of(at)] : at;
      reached.push_back(next);
    }
  for (std::uint32_t n = 0; n < npus(); ++n)
    for (auto npu = static_cast<NpuId>(n);
         is_member[n] && index_of(npu) < npus() && parents[index_of(npu)] == kNoNpu;)
      npu = parents[index_of(npu)] = nearest[index_of(npu)];
  return parents;
}

Topology::IoPlace MeshTopology::io_place(std::uint32_t controller) const {
  const IoPort& port = io_[controller];
  return {{"npu", std::uint64_t{index_of(port.npu)}},
          {"side", std::string(to_string(direction_of(port.side)))}};
}

}  // namespace wafertlm
