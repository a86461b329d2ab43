// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/tensors.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "tlm/kernel/units.h"

namespace wafertlm::chakra {
namespace {

/// Reads nested lists of numbers, strings and names; of each list it only knows whether it is a tensor.
class ValueReader {
 public:
  ValueReader(std::string_view text, std::vector<TensorUse>& found) : text_(text), found_(found) {}

  /// False if the text is not one value.
  bool read() {
    skip_space();
    if (!value(0)) return false;
    skip_space();
    return at_ == text_.size();
  }
  std::size_t tensors() const { return tensors_; }

 private:
  static constexpr std::size_t kNumbers = 5;  // of a tensor, in front of its device
  static constexpr int kDeepest = 64;
  /// The entries of a list, as far as they could be those of a tensor.
  struct Entries {
    std::array<std::uint64_t, kNumbers> numbers{};
    std::string_view device;
    std::size_t count = 0;
    bool fits = true;
  };

  bool value(int depth) {
    Entries ignored;
    return entry(ignored, depth);
  }
  bool entry(Entries& of, int depth) {
    if (at_ == text_.size() || depth > kDeepest) return false;
    const char first = text_[at_];
    if (first == '[' || first == '(') {
      of.fits = false;
      return list(first == '[' ? ']' : ')', depth);
    }
    if (first == '\'' || first == '"') return quoted(of);
    return word(of);
  }
  bool list(char close, int depth) {
    Entries entries;
    ++at_;
    for (skip_space(); at_ < text_.size() && text_[at_] != close; skip_space()) {
      if (!entry(entries, depth + 1)) return false;
      ++entries.count;
      skip_space();
      if (at_ < text_.size() && text_[at_] == ',')
        ++at_;
      else if (at_ == text_.size() || text_[at_] != close)
        return false;
    }
    if (at_ == text_.size()) return false;
    ++at_;
    if (entries.fits && entries.count == kNumbers + 1) take(entries);
    return true;
  }
  bool quoted(Entries& of) {
    const char quote = text_[at_++];
    const std::size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_)
      if (text_[at_] == '\\') ++at_;
    if (at_ >= text_.size()) return false;
    if (of.count == kNumbers)
      of.device = text_.substr(begin, at_ - begin);
    else
      of.fits = false;
    ++at_;
    return true;
  }
  /// A number, True, None, inf …
  bool word(Entries& of) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  std::string_view("+-._").find(text_[at_]) != std::string_view::npos))
      ++at_;
    if (at_ == begin) return false;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + at_, number);
    if (error == std::errc() && end == text_.data() + at_ && of.count < kNumbers)
      of.numbers[of.count] = number;
    else
      of.fits = false;
    return true;
  }
  void take(const Entries& entries) {
    ++tensors_;
    if (entries.device.substr(0, 3) == "cpu" || entries.device == "meta") return;
    const auto [tensor, storage, offset, elements, element_bytes] = entries.numbers;
    if (elements == 0) return;
    const Uint128 bytes = (Uint128{offset} + elements) * std::min(element_bytes, kMostTensorBytes);
    found_.push_back(
        {storage, bytes > kMostTensorBytes ? kMostTensorBytes : static_cast<std::uint64_t>(bytes)});
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  std::string_view text_;
  std::vector<TensorUse>& found_;
  std::size_t at_ = 0, tensors_ = 0;
};

std::size_t occurrences(std::string_view text, std::string_view of) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(of, at)) != std::string_view::npos; at += of.size()) ++count;
  return count;
}

}  // namespace

bool read_tensors(const IoText& text, std::vector<TensorUse>& found) {
  ValueReader reader(text.values, found);
  return reader.read() && reader.tensors() >= occurrences(text.types, "Tensor(");
}

}  // namespace wafertlm::chakra
