// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wafertlm::config {
struct FileKind;
template <class S>
class Struct;
}  // namespace wafertlm::config

namespace wafertlm::wafer_yield {

/// How killer defects fall: each part for itself, or in clusters (Poisson with a density that is gamma
/// distributed over regions, which makes counts negative binomial).
enum class Law : std::uint8_t { poisson, negative_binomial };

enum class PartKind : std::uint8_t { npu, router, link };
std::string to_string(PartKind kind);

/// Of each part of a kind.
struct PartSpec {
  double area_mm2 = 0, defects_per_mm2 = 0;
  /// Expected killer defects away from the edge.
  double defects() const { return area_mm2 * defects_per_mm2; }
};

/// What may be used in place of dead parts; 0: none.
struct Spares {
  std::uint32_t rows = 0, columns = 0;  ///< of the grid
  std::uint32_t npus = 0;               ///< anywhere, if routes go around holes
  /// Of the six 2-hop links of an NPU, with which a column jumps over a dead one; none: there are none.
  std::optional<double> repair_links_mm2;
};

/// A file with the top-level key `yield`: a grid of cells, each an NPU with its router and the links to the
/// right and below, in the middle of a round wafer.
struct YieldSpec {
  std::string name;
  std::uint32_t columns = 1, rows = 1;  ///< as manufactured, with spares
  double cell_width_mm = 1, cell_height_mm = 1, diameter_mm = 300;
  PartSpec npu, router, link;
  Law law = Law::poisson;
  double alpha = 2;                                     ///< of the gamma distribution
  std::uint32_t cluster_columns = 0, cluster_rows = 0;  ///< cells of a region; 0: the whole wafer
  double edge_mm = 0, edge_factor = 1;                  ///< nearer than that density is so many times
  Spares spares;
  std::uint32_t wafers = 10'000;
  std::uint64_t seed = 1;

  std::uint32_t cells() const { return columns * rows; }
};

/// @throws config::ConfigError.
YieldSpec load_yield(const std::string& path, const std::vector<std::string>& overrides = {});
std::shared_ptr<const config::Struct<YieldSpec>> yield_type();
/// The row of such files.
config::FileKind yield_file_kind();

/// A part of the wafer. Cells are numbered by rows from the top left.
struct Part {
  PartKind kind;
  std::uint32_t cell;  ///< that it belongs to; of a link its left or upper end
  std::uint32_t end;   ///< of a link the other one; else the cell
  double defects;      ///< expected
};

/// The parts that share a density.
struct Region {
  std::vector<Part> parts;
  double defects = 0;  ///< expected, of all
};

/// The cell's centre is nearer to the wafer's edge than `edge_mm`; negative distance: outside.
double distance_to_edge_mm(const YieldSpec& spec, std::uint32_t cell);
std::vector<Region> regions_of(const YieldSpec& spec);

/// Probability that no defect falls where `defects` are expected: e^-x, or (1 + x/alpha)^-alpha.
double yield_of(const YieldSpec& spec, double defects);
/// Of the number of defects in a region: x, or x + x²/alpha.
double variance_of(const YieldSpec& spec, double defects);

}  // namespace wafertlm::wafer_yield
