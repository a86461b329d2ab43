// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

#include "platform/commands/libra/inputs.h"

#include "tlm/input/number.h"

namespace wafertlm::libra {
namespace {

/// Reads "2*B0 - B1 + 5": adds to coefficients and to the number without a bandwidth.
class Side {
 public:
  Side(const std::string& whole, std::string text, std::size_t dimensions)
      : whole_(whole), text_(std::move(text)), coefficients(dimensions, 0) {
    skip_spaces();
    for (bool first = true; first || at_ < text_.size(); first = false) term(first);
  }

 private:
  const std::string& whole_;
  std::string text_;
  std::size_t at_ = 0;

 public:
  std::vector<double> coefficients;
  double number = 0;

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::invalid_argument(fmt::format(
        "the constraint '{}' {}; write for instance \"sum = 1000\", \"B0 >= B1\", \"B2 + B3 = 200\" or "
        "\"2*B0 <= 900\", in GB/s, dimensions from B0 to B{}",
        whole_, why, coefficients.size() - 1));
  }
  void skip_spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(const std::string& token) {
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    skip_spaces();
    return true;
  }
  bool take_number(double& value) {
    const auto read = leading_number(std::string_view(text_).substr(at_));
    if (!read) return false;
    value = read->value;
    at_ += read->length;
    skip_spaces();
    return true;
  }
  void term(bool first) {
    double factor = take("-") ? -1 : 1;
    if (factor == 1 && !take("+") && !first) fail(fmt::format("has a '{}' too many", text_.substr(at_)));
    double value = 0;
    const bool has_number = take_number(value);
    if (has_number) factor *= value;
    if (has_number && !take("*") && (at_ == text_.size() || text_[at_] == '+' || text_[at_] == '-')) {
      number += factor;
      return;
    }
    if (has_number && take("GB/s")) {
      number += factor;
      return;
    }
    if (take("sum")) {
      for (double& each : coefficients) each += factor;
      return;
    }
    std::size_t dimension = 0;
    if (!take("B"))
      fail(at_ == text_.size() ? "ends too soon" : "has no bandwidth at '" + text_.substr(at_) + "'");
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), dimension);
    if (error != std::errc() || dimension >= coefficients.size()) fail("names a dimension that there is not");
    at_ = static_cast<std::size_t>(end - text_.data());
    skip_spaces();
    coefficients[dimension] += factor;
  }
};

}  // namespace

LinearConstraint parse_constraint(const std::string& text, std::size_t dimensions) {
  using Sense = LinearConstraint::Sense;
  LinearConstraint constraint;
  constraint.text = text;
  const std::size_t sign = text.find_first_of("<>=");
  if (sign == std::string::npos)
    throw std::invalid_argument(
        fmt::format("the constraint '{}' compares nothing; write \"sum = 1000\" or \"B0 >= B1\"", text));
  constraint.sense = text[sign] == '<' ? Sense::at_most : text[sign] == '>' ? Sense::at_least : Sense::equal;
  const std::size_t right = sign + (sign + 1 < text.size() && text[sign + 1] == '=' ? 2 : 1);
  const Side left_side(text, text.substr(0, sign), dimensions),
      right_side(text, text.substr(right), dimensions);
  for (std::size_t d = 0; d < dimensions; ++d)
    constraint.coefficients.push_back(left_side.coefficients[d] - right_side.coefficients[d]);
  constraint.limit = right_side.number - left_side.number;
  if (std::all_of(constraint.coefficients.begin(), constraint.coefficients.end(),
                  [](double each) { return each == 0; }))
    throw std::invalid_argument(fmt::format("the constraint '{}' says nothing about a bandwidth", text));
  return constraint;
}

}  // namespace wafertlm::libra
