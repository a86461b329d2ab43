// SPDX-License-Identifier: Apache-2.0
#include "models/mesh/mesh_link_loads.h"

#include <algorithm>

namespace wafertlm {
namespace {

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

}  // namespace

MeshLinkLoads::MeshLinkLoads(const MeshGeometry& mesh, const TopologyLink& link)
    : mesh_(mesh),
      link_(link),
      east_((mesh.width() + 1) * mesh.height()),
      west_(east_.size()),
      south_((mesh.height() + 1) * mesh.width()),
      north_(south_.size()) {}

void MeshLinkLoads::add_in_row(std::uint32_t row, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
  add_stretch(east_, west_, std::size_t{row} * (mesh_.width() + 1), from, to, bytes);
}

void MeshLinkLoads::add_in_column(std::uint32_t column, std::uint32_t from, std::uint32_t to,
                                  std::uint64_t bytes) {
  add_stretch(south_, north_, std::size_t{column} * (mesh_.height() + 1), from, to, bytes);
}

void MeshLinkLoads::add(NpuId from, NpuId to, std::uint64_t bytes) {
  add_in_row(mesh_.row(from), mesh_.column(from), mesh_.column(to), bytes);
  add_in_column(mesh_.column(to), mesh_.row(from), mesh_.row(to), bytes);
}

void MeshLinkLoads::add_flow(const Group& contributors, const Group& receivers, std::uint64_t bytes) {
  for (const NpuId from : contributors)
    for (const NpuId to : receivers) add(from, to, bytes);
}

void MeshLinkLoads::add_all_pairs(const Group& group, std::uint64_t bytes) {
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

std::uint64_t MeshLinkLoads::busiest_bytes() const {
  std::int64_t busiest = 0;
  for (const Changes* lines : {&east_, &west_, &south_, &north_}) {
    std::int64_t load = 0;
    for (const std::int64_t change : *lines) busiest = std::max(busiest, load += change);
  }
  return static_cast<std::uint64_t>(busiest);
}

TimePs MeshLinkLoads::busiest_ps() const {
  const std::uint64_t bytes = busiest_bytes();
  return bytes == 0 ? 0 : link_.head_ps + transfer_time_ps(bytes, link_.bytes_per_s);
}

}  // namespace wafertlm
