// SPDX-License-Identifier: Apache-2.0
// The form: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <cmath>
#include <cstring>
#include <regex>
#include <stdexcept>

#include "platform/commands/partition/npz.h"

namespace wafertlm::partition {
namespace {

constexpr std::size_t kMaxElements = std::size_t{1} << 28;

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw std::invalid_argument(where + ": " + what);
}

struct NpyHeader {
  std::string type;
  bool is_fortran = false;
  std::vector<std::size_t> shape;
  std::size_t data = 0;  ///< where the values begin
};

std::vector<std::size_t> shape_of(const std::string& text, const std::string& where) {
  static const std::regex number("[0-9]+");
  std::vector<std::size_t> shape;
  std::size_t elements = 1;
  for (std::sregex_iterator each(text.begin(), text.end(), number), end; each != end; ++each) {
    const std::string digits = each->str();
    if (digits.size() > 10) refuse(where, "the shape (" + text + ") is too large");
    shape.push_back(std::stoull(digits));
    if (shape.back() != 0 && elements > kMaxElements / shape.back())
      refuse(where, "the shape (" + text + ") is too large; at most 2^28 elements are read");
    elements *= shape.back();
  }
  return shape;
}

NpyHeader header_of(const std::string& bytes, const std::string& where) {
  if (bytes.size() < 10 || bytes.compare(0, 6, "\x93NUMPY") != 0)
    refuse(where, "this is not a NumPy array (no magic string)");
  const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(bytes[i])}; };
  const std::size_t version = byte(6), prefix = version == 1 ? 10 : 12;
  if (version < 1 || version > 3)
    refuse(where, "version " + std::to_string(version) + " of the form is not read");
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1 && bytes.size() >= prefix) length |= byte(10) << 16 | byte(11) << 24;
  if (bytes.size() < prefix + length) refuse(where, "the header is cut short");
  const std::string text = bytes.substr(prefix, length);
  static const std::regex type("'descr'\\s*:\\s*'([^']*)'"), order("'fortran_order'\\s*:\\s*(True|False)"),
      shape("'shape'\\s*:\\s*\\(([0-9, ]*)\\)");
  NpyHeader header;
  std::smatch match;
  if (!std::regex_search(text, match, type))
    refuse(where, "the header has no type of plain numbers ('descr')");
  header.type = match[1];
  if (!std::regex_search(text, match, order)) refuse(where, "the header has no 'fortran_order'");
  header.is_fortran = match[1] == "True";
  if (!std::regex_search(text, match, shape)) refuse(where, "the header has no 'shape'");
  header.shape = shape_of(match[1], where);
  header.data = prefix + length;
  return header;
}

/// IEEE 754 binary16.
double half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = std::ldexp(fraction, -24);
  if (exponent == 31)
    value = fraction == 0 ? HUGE_VAL : std::nan("");
  else if (exponent > 0)
    value = std::ldexp(1024 + fraction, exponent - 25);
  return (bits >> 15) != 0 ? -value : value;
}

template <typename T>
double element(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

struct ElementType {
  const char* name;
  std::size_t bytes;
  double (*read)(const char*);
};
constexpr ElementType kTypes[] = {{"<f8", 8, element<double>},
                                  {"<f4", 4, element<float>},
                                  {"<f2", 2,
                                   [](const char* at) {
                                     std::uint16_t bits;
                                     std::memcpy(&bits, at, sizeof bits);
                                     return half(bits);
                                   }},
                                  {"|i1", 1, element<std::int8_t>},
                                  {"<i2", 2, element<std::int16_t>},
                                  {"<i4", 4, element<std::int32_t>},
                                  {"<i8", 8, element<std::int64_t>}};

const ElementType& type_of(const NpyHeader& header, const std::string& where) {
  for (const ElementType& each : kTypes)
    if (header.type == each.name) return each;
  refuse(where, "values of type '" + header.type +
                    "' are not read; save it as float32 (array.astype(numpy.float32))");
}

}  // namespace

NpyArray parse_npy(const std::string& bytes, const std::string& where) {
  const NpyHeader header = header_of(bytes, where);
  const ElementType& type = type_of(header, where);
  std::size_t elements = 1;
  for (const std::size_t length : header.shape) elements *= length;
  const std::size_t present = (bytes.size() - header.data) / type.bytes;
  if (present < elements)
    refuse(where, "is cut short: " + std::to_string(present) + " of " + std::to_string(elements) + " values");
  NpyArray array{header.shape, std::vector<double>(elements)};
  const std::size_t rows = header.shape.empty() ? 1 : header.shape.front(),
                    columns = rows == 0 ? 0 : elements / rows;
  if (header.is_fortran && header.shape.size() > 2)
    refuse(where, "has more than two dimensions in Fortran order");
  for (std::size_t i = 0; i < elements; ++i) {
    const std::size_t to = header.is_fortran ? i % rows * columns + i / rows : i;
    array.values[to] = type.read(bytes.data() + header.data + i * type.bytes);
  }
  return array;
}

}  // namespace wafertlm::partition
