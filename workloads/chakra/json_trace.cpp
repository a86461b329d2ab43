// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/json_trace.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace wafertlm::chakra {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;

}  // namespace

JsonReader::JsonReader(std::string path) : path_(std::move(path)), file_(path_, std::ios::binary) {
  if (!file_) throw TraceError(path_ + ": cannot open");
  rewind();
}

void JsonReader::rewind() {
  file_.clear();
  file_.seekg(0);
  buffer_.clear();
  position_ = before_ = 0;
  first_ = true;
  done_ = false;
  enter_list();
}

/// The next character without taking it; '\0' at the end of the file.
char JsonReader::peek() {
  if (position_ == buffer_.size()) {
    before_ += position_;
    position_ = 0;
    buffer_.resize(kBlock);
    file_.read(buffer_.data(), static_cast<std::streamsize>(kBlock));
    buffer_.resize(static_cast<std::size_t>(file_.gcount()));
    if (buffer_.empty()) return '\0';
  }
  return buffer_[position_];
}

char JsonReader::take() {
  const char c = peek();
  if (position_ == buffer_.size()) fail(before_ + position_, "the file ends inside of the JSON text");
  ++position_;
  return c;
}

void JsonReader::skip_space() {
  for (char c = peek(); position_ < buffer_.size() && (c == ' ' || c == '\n' || c == '\t' || c == '\r');
       c = peek())
    ++position_;
}

void JsonReader::expect(char wanted, const char* where) {
  skip_space();
  const std::uint64_t byte = before_ + position_;
  if (take() != wanted) fail(byte, std::string("expected '") + wanted + "' " + where);
}

void JsonReader::take_value(std::string& text) {
  text.clear();
  skip_space();
  std::string open;  // closing brackets that are due
  for (;;) {
    const char next = peek();
    if (open.empty() && !text.empty() && (next == ',' || next == '}' || next == ']')) return;
    const char c = take();
    text.push_back(c);
    if (c == '"') {
      for (char inside = take(); inside != '"'; inside = take()) {
        text.push_back(inside);
        if (inside == '\\') text.push_back(take());
      }
      text.push_back('"');
    } else if (c == '{' || c == '[') {
      open.push_back(c == '{' ? '}' : ']');
    } else if (c == '}' || c == ']') {
      if (open.empty() || open.back() != c)
        fail(before_ + position_ - 1, std::string("a '") + c + "' too many");
      open.pop_back();
      if (open.empty()) return;
    }
  }
}

std::string JsonReader::take_key() {
  skip_space();
  const std::uint64_t byte = before_ + position_;
  if (peek() != '"') {
    take();  // the end of the file is an error of its own
    fail(byte, "expected a key in quotes");
  }
  std::string key;
  take();
  for (char c = take(); c != '"'; c = take()) key.push_back(c == '\\' ? take() : c);
  expect(':', "after a key");
  return key;
}

/// Up to the first entry of workload_graph.
void JsonReader::enter_list() {
  skip_space();
  if (peek() == '\0' && position_ == buffer_.size()) fail(0, "the file is empty");
  expect('{', "at the start: a trace is an object with the list \"workload_graph\"");
  for (;;) {
    skip_space();
    if (peek() == '}') fail(before_ + position_, "the object ends without the list \"workload_graph\"");
    if (take_key() == "workload_graph") break;
    const std::uint64_t byte = before_ + position_;
    take_value(text_);
    if (!nlohmann::json::accept(text_)) fail(byte, "not a JSON value");
    skip_space();
    if (peek() == ',') take();
  }
  expect('[', "after \"workload_graph\"");
}

/// From the end of the list to the end of the file.
void JsonReader::leave_list() {
  for (;;) {
    skip_space();
    const std::uint64_t byte = before_ + position_;
    const char c = take();
    if (c == '}') break;
    if (c != ',') fail(byte, "expected ',' or '}' after a value");
    if (take_key() == "workload_graph") fail(byte, "a second list \"workload_graph\"");
    const std::uint64_t value = before_ + position_;
    take_value(text_);
    if (!nlohmann::json::accept(text_)) fail(value, "not a JSON value");
  }
  skip_space();
  if (peek(); position_ < buffer_.size()) fail(before_ + position_, "the file goes on after its object");
  done_ = true;
}

bool JsonReader::next(Node& node) {
  if (done_) return false;
  skip_space();
  if (peek() == ']') {
    take();
    leave_list();
    return false;
  }
  if (!first_) expect(',', "between two nodes");
  first_ = false;
  skip_space();
  const std::uint64_t byte = before_ + position_;
  take_value(text_);
  try {
    from_json(text_, node);
  } catch (const std::invalid_argument& error) {
    fail(byte, (node.type == NodeType::Invalid ? "" : describe(node) + ": ") + error.what());
  }
  return true;
}

void JsonReader::fail(std::uint64_t byte, const std::string& text) const {
  throw TraceError(fmt::format("{}: byte {}: {}", path_, byte, text));
}

}  // namespace wafertlm::chakra
