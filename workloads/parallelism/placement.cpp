// SPDX-License-Identifier: Apache-2.0
#include "workloads/parallelism/placement.h"

#include "tlm/input/file.h"
#include "workloads/parallelism/tile_order.h"
#include "workloads/parallelism/working_grid.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>

namespace wafertlm {
namespace {

Placement down_the_columns(std::uint32_t workers, const PlacementGrid& grid) {
  Placement placement;
  for (std::uint32_t w = 0; w < workers; ++w)
    placement.push_back(static_cast<NpuId>(w % grid.height * grid.width + w / grid.height));
  return placement;
}

Placement row_major(std::uint32_t workers) {
  Placement placement;
  for (std::uint32_t w = 0; w < workers; ++w) placement.push_back(static_cast<NpuId>(w));
  return placement;
}

/// Fisher and Yates; the standard library's shuffle differs between implementations.
Placement shuffled(std::uint32_t workers, const PlacementGrid& grid, std::uint64_t seed) {
  Placement npus = row_major(grid.npus());
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < workers; ++i) std::swap(npus[i], npus[i + random() % (npus.size() - i)]);
  npus.resize(workers);
  return npus;
}

struct Shape {
  std::uint32_t width, height;
};

/// The squarest first: if there is a cycle of neighbours through all of a shape, it has one.
std::vector<Shape> shapes_of(std::uint32_t size, const PlacementGrid& grid) {
  std::vector<Shape> shapes;
  for (std::uint32_t height = 1; height <= std::min(size, grid.height); ++height)
    if (size % height == 0 && size / height <= grid.width) shapes.push_back({size / height, height});
  std::sort(shapes.begin(), shapes.end(), [](const Shape& a, const Shape& b) {
    if (a.width + a.height != b.width + b.height) return a.width + a.height < b.width + b.height;
    return a.height > b.height;
  });
  return shapes;
}

/// Places rectangle after rectangle, the corner of each at the first free NPU down the columns, and goes back
/// when there is no room for all. Gives up after so many attempts that any wafer that packs easily has
/// packed.
class Packing {
 public:
  Packing(std::uint32_t size, std::uint32_t count, const PlacementGrid& grid)
      : grid_(grid), shapes_(shapes_of(size, grid)), count_(count), taken_(grid.npus()) {
    spare_ = grid.npus() - size * count;
  }

  bool pack(std::uint32_t from = 0) {
    if (groups_.size() == count_) return true;
    while (from < grid_.npus() && taken_[npu_at(from)]) ++from;
    if (from == grid_.npus() || ++attempts_ > kMaxAttempts) return false;
    const std::uint32_t column = from / grid_.height, row = from % grid_.height;
    for (const Shape& shape : shapes_) {
      if (!fits(shape, column, row)) continue;
      groups_.push_back(fill(shape, column, row));
      if (pack(from + 1)) return true;
      for (const NpuId npu : groups_.back()) taken_[index_of(npu)] = false;
      groups_.pop_back();
    }
    if (spare_ == 0) return false;
    --spare_;  // leave this NPU free
    if (pack(from + 1)) return true;
    ++spare_;
    return false;
  }
  std::vector<Group> take() { return std::move(groups_); }

 private:
  static constexpr std::uint32_t kMaxAttempts = 20'000;

  std::size_t npu_at(std::uint32_t place) const {
    return place % grid_.height * grid_.width + place / grid_.height;
  }
  bool fits(const Shape& shape, std::uint32_t column, std::uint32_t row) const {
    if (column + shape.width > grid_.width || row + shape.height > grid_.height) return false;
    for (std::uint32_t c = column; c < column + shape.width; ++c)
      for (std::uint32_t r = row; r < row + shape.height; ++r)
        if (taken_[r * grid_.width + c]) return false;
    return true;
  }
  Group fill(const Shape& shape, std::uint32_t column, std::uint32_t row) {
    Group group;
    for (std::uint32_t i = 0; i < shape.width; ++i)
      for (std::uint32_t j = 0; j < shape.height; ++j) {
        const std::uint32_t r = row + (i % 2 == 0 ? j : shape.height - 1 - j);
        group.push_back(static_cast<NpuId>(r * grid_.width + column + i));
        taken_[index_of(group.back())] = true;
      }
    return group;
  }

  PlacementGrid grid_;
  std::vector<Shape> shapes_;
  std::uint32_t count_, spare_ = 0, attempts_ = 0;
  std::vector<bool> taken_;
  std::vector<Group> groups_;
};

std::vector<Group> snake_pieces(std::uint32_t size, std::uint32_t count, const PlacementGrid& grid) {
  std::vector<Group> groups(count);
  for (std::uint32_t place = 0; place < size * count; ++place) {
    const std::uint32_t column = place / grid.height, down = place % grid.height;
    const std::uint32_t row = column % 2 == 0 ? down : grid.height - 1 - down;
    groups[place / size].push_back(static_cast<NpuId>(row * grid.width + column));
  }
  return groups;
}

/// `count` groups of `size` NPUs each, contiguous, without overlap: rectangles if they can be packed (those
/// that close to a ring of neighbours are tried first, squarer ones before longer ones), else consecutive
/// pieces of a snake down and up the columns. NPUs within a group follow a snake, so that consecutive ones
/// are neighbours.
/// Requires size × count <= grid.npus().
std::vector<Group> tiles(std::uint32_t size, std::uint32_t count, const PlacementGrid& grid) {
  Packing packing(size, count, grid);
  return packing.pack() ? packing.take() : snake_pieces(size, count, grid);
}

/// MP group after MP group on the tiles, whose NPUs `order` puts in order; workers of a group have
/// consecutive numbers.
template <typename Order>
Placement tiled(const Parallelism& parallelism, const PlacementGrid& grid, const Order& order) {
  Placement placement;
  for (const Group& tile : tiles(parallelism.mp, parallelism.dp * parallelism.pp, grid)) {
    const Group ordered = order(tile);
    placement.insert(placement.end(), ordered.begin(), ordered.end());
  }
  return placement;
}

/// The tiles are the DP groups, one beside the other those of a stage.
Placement entwined(const Parallelism& parallelism, const PlacementGrid& grid) {
  const std::vector<Group> groups = tiles(parallelism.dp, parallelism.mp * parallelism.pp, grid);
  Placement placement(parallelism.workers());
  for (std::uint32_t p = 0; p < parallelism.pp; ++p)
    for (std::uint32_t m = 0; m < parallelism.mp; ++m)
      for (std::uint32_t d = 0; d < parallelism.dp; ++d)
        placement[parallelism.worker(m, p, d)] = groups[p * parallelism.mp + m][d];
  return placement;
}

using Policy = Placement (*)(const Parallelism&, const PlacementGrid&, std::uint64_t seed);
struct NamedPolicy {
  const char* name;
  Policy place;
};

const NamedPolicy kPolicies[] = {
    {"paper", [](const Parallelism& of, const PlacementGrid& grid,
                 std::uint64_t) { return down_the_columns(of.workers(), grid); }},
    {"contiguous", [](const Parallelism& of, const PlacementGrid& grid,
                      std::uint64_t) { return tiled(of, grid, [](const Group& tile) { return tile; }); }},
    {"grid", [](const Parallelism& of, const PlacementGrid& grid,
                std::uint64_t) { return tiled(of, grid, row_by_row); }},
    {"ring",
     [](const Parallelism& of, const PlacementGrid& grid, std::uint64_t) {
       return tiled(of, grid, [&grid](const Group& tile) { return around_a_ring(tile, grid); });
     }},
    {"entwined",
     [](const Parallelism& of, const PlacementGrid& grid, std::uint64_t) { return entwined(of, grid); }},
    {"row_major",
     [](const Parallelism& of, const PlacementGrid&, std::uint64_t) { return row_major(of.workers()); }},
    {"random", [](const Parallelism& of, const PlacementGrid& grid, std::uint64_t seed) {
       return shuffled(of.workers(), grid, seed);
     }}};

struct FileLine {
  const std::string& path;
  std::size_t line;

  [[noreturn]] void fail(const std::string& message) const {
    throw std::invalid_argument(fmt::format("{}:{}: {}", path, line, message));
  }
  /// A number from 0 to count - 1. `what`: "NPU", "worker".
  std::uint32_t number(const std::string& text, const std::string& what, std::uint32_t count) const {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value >= count)
      fail(fmt::format("'{}' is no {}; there are 0 to {}", text, what, count - 1));
    return value;
  }
};

}  // namespace

Placement place_workers(const std::string& policy, const Parallelism& parallelism, const PlacementGrid& grid,
                        std::uint64_t seed) {
  const auto is_idle = [&](NpuId npu) {
    return std::find(grid.idle.begin(), grid.idle.end(), npu) != grid.idle.end();
  };
  for (const NamedPolicy& known : kPolicies) {
    if (policy != known.name) continue;
    Placement placement = known.place(parallelism, grid, seed);
    if (std::none_of(placement.begin(), placement.end(), is_idle)) return placement;
    const WorkingGrid working = working_grid(grid, parallelism.workers());
    placement = known.place(parallelism, working.grid, seed);
    for (NpuId& npu : placement) npu = working.npus[index_of(npu)];
    return placement;
  }
  if (policy == "file:")
    throw std::invalid_argument("placement 'file:': the name of the file is missing; write file:PATH");
  if (policy.rfind("file:", 0) == 0) {
    const Placement placement = read_placement(policy.substr(5), parallelism.workers(), grid.npus());
    const auto idle = std::find_if(placement.begin(), placement.end(), is_idle);
    if (idle != placement.end())
      throw std::invalid_argument(policy.substr(5) + ": NPU " + std::to_string(index_of(*idle)) +
                                  " does not work (wafer.defects)");
    return placement;
  }
  throw std::invalid_argument("no placement '" + policy +
                              "'; there are paper, contiguous, grid, ring, entwined, row_major, random and "
                              "file:PATH");
}

std::vector<std::string> placement_policies() {
  std::vector<std::string> names;
  for (const NamedPolicy& known : kPolicies) names.emplace_back(known.name);
  names.emplace_back("file:PATH");
  return names;
}

Group npus_of(const WorkerGroup& workers, const Placement& placement) {
  Group group;
  for (const std::uint32_t worker : workers) group.push_back(placement[worker]);
  return group;
}

Placement read_placement(const std::string& path, std::uint32_t workers, std::uint32_t npus) {
  const std::string why = why_unreadable(path);
  if (!why.empty())
    throw std::invalid_argument(path + ": " + why + "; --placement file:PATH names a text file");
  std::istringstream file(read_input(path));
  std::vector<std::optional<NpuId>> placement(workers);
  std::vector<std::size_t> line_of_npu(npus), line_of_worker(workers);
  std::size_t columns = 0;
  std::uint32_t next = 0;
  FileLine at{path, 0};
  for (std::string line; std::getline(file, line);) {
    ++at.line;
    std::istringstream text(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    if (words.empty()) continue;
    if (columns == 0) columns = words.size();
    if (words.size() != columns || columns > 2)
      at.fail(fmt::format("expected an NPU, or a worker and its NPU, the same in every line; found {} words",
                          words.size()));
    if (columns == 1 && next == workers)
      at.fail(fmt::format("the parallelism has {} workers, this is one NPU too many", workers));
    const std::uint32_t worker = columns == 2 ? at.number(words[0], "worker", workers) : next++;
    const std::uint32_t npu = at.number(words.back(), "NPU", npus);
    if (line_of_worker[worker] != 0)
      at.fail(fmt::format("worker {} has an NPU already, in line {}", worker, line_of_worker[worker]));
    if (line_of_npu[npu] != 0)
      at.fail(fmt::format("NPU {} is taken already, in line {}", npu, line_of_npu[npu]));
    line_of_worker[worker] = line_of_npu[npu] = at.line;
    placement[worker] = static_cast<NpuId>(npu);
  }
  Placement complete;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    if (!placement[worker])
      throw std::invalid_argument(
          fmt::format("{}: no NPU for worker {}; the parallelism has {} workers", path, worker, workers));
    complete.push_back(*placement[worker]);
  }
  return complete;
}

}  // namespace wafertlm
