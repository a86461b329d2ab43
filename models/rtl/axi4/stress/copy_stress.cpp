// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/axi4/stress/copy_stress.h"

#include <algorithm>
#include <ctime>

#include "models/rtl/axi4/slave.h"
#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kCopyPatience = 20'000;  // cycles for a copy
constexpr std::uint64_t kDescriptorBytes = 32, kStatusOffset = 20;

/// A memory, and the pins that hand descriptors to the engine.
class EngineHost final : public Axi4Slave {
 public:
  EngineHost(const Axi4Shape& shape, const std::vector<RtlModel*>& models, PageStore& memory,
             const Axi4SlaveParams& params)
      : Axi4Slave(shape, memory, params), models_(models), address_bits_(shape.address_bits) {}

  void start(std::uint64_t descriptor) {
    descriptor_ = descriptor;
    waits_ = true;
    is_over_ = false;
  }
  bool is_over() const { return is_over_; }
  std::uint64_t bursts() const { return bursts_; }
  std::uint64_t beats() const { return beats_; }

  void drive(Axi4Cycle& pins, std::uint64_t cycle) override {
    Axi4Slave::drive(pins, cycle);
    for (RtlModel* const model : models_) {
      put(*model, "start_valid", 1, waits_ ? 1 : 0);
      put(*model, "start_address", address_bits_, descriptor_);
    }
  }
  void look(const Axi4Cycle& pins, std::uint64_t cycle) override {
    Axi4Slave::look(pins, cycle);
    if (get("start_ready")) waits_ = false;
    if (get("finished")) is_over_ = true;
    bursts_ += (pins.aw.done() ? 1U : 0U) + (pins.ar.done() ? 1U : 0U);
    beats_ += (pins.w.done() ? 1U : 0U) + (pins.r.done() ? 1U : 0U);
  }

 private:
  static void put(RtlModel& model, const char* name, std::uint32_t bits, std::uint64_t value) {
    RtlPin& pin = model.pin(name);
    pin.set(0, bits, value);
    pin.push();
  }
  bool get(const char* name) {
    RtlPin& pin = models_.front()->pin(name);
    pin.pull();
    return pin.get(0, 1) != 0;
  }

  const std::vector<RtlModel*> models_;
  const std::uint32_t address_bits_;
  std::uint64_t descriptor_ = 0, bursts_ = 0, beats_ = 0;
  bool waits_ = false, is_over_ = false;
};

std::uint64_t read_number(const PageStore& memory, std::uint64_t address, unsigned bytes) {
  std::uint64_t number = 0;
  for (unsigned k = 0; k < bytes; ++k) {
    unsigned char byte = 0;
    memory.read(address + k, &byte, 1);
    number |= std::uint64_t{byte} << 8 * k;
  }
  return number;
}

void write_number(PageStore& memory, std::uint64_t address, std::uint64_t number, unsigned bytes) {
  for (unsigned k = 0; k < bytes; ++k) {
    const auto byte = static_cast<unsigned char>(number >> 8 * k);
    memory.write(address + k, &byte, 1);
  }
}

/// A case: copies one after the other, in the engine's memory and in a second one.
class CopyPlay {
 public:
  CopyPlay(const RtlDesign& design, RtlModel& model, RtlModel* twin, std::uint64_t seed)
      : draw_(seed ^ 0xc0b1),
        bench_(design, model, [this](const Axi4Violation& violation) { fail(violation); }),
        host_(axi4_shape(design),
              twin ? std::vector<RtlModel*>{&model, twin} : std::vector<RtlModel*>{&model}, memory_,
              {draw_(4) == 0 ? Axi4Stalls() : Axi4Stalls(seed), seed, draw_(60)}) {
    if (twin) bench_.set_twin(*twin);
    for (std::uint64_t& page : pages_) page = draw_(1 << 20) * 2 * kAxi4Boundary;
  }

  void run(std::uint32_t copies, Axi4StressResult& result) {
    bench_.reset();
    for (std::uint32_t n = 0; n < copies && !failure_; ++n) play(random_copy());
    if (!failure_) bench_.finish();
    result.failure = failure_;
    result.transactions += host_.bursts();
    result.beats += host_.beats();
    result.cycles += bench_.cycles();
    if (failure_) result.stimulus = {text_};
  }

 private:
  /// Of up to some pages, often at boundaries.
  Axi4Copy random_copy() {
    constexpr std::uint64_t kMost[] = {8, 64, 600, 4096, 9000};
    const auto place = [&](std::uint64_t page) {
      return page + (draw_(3) == 0 ? kAxi4Boundary - 1 - draw_(32) : draw_(kAxi4Boundary));
    };
    const std::size_t from = draw_(2);
    return {place(pages_[from]), place(pages_[2 + draw_(2)]), draw_(kMost[draw_(5)])};
  }
  void play(const Axi4Copy& copy) {
    text_ = say("copy of ", copy.bytes, " B from ", copy.source, " to ", copy.destination);
    const std::uint64_t descriptor = pages_[4] + draw_(64) * kDescriptorBytes;
    for (PageStore* const memory : {&memory_, &expected_}) {
      write_number(*memory, descriptor, copy.source, 8);
      write_number(*memory, descriptor + 8, copy.destination, 8);
      write_number(*memory, descriptor + 16, copy.bytes, 8);
    }
    std::vector<unsigned char> bytes(copy.bytes);
    for (unsigned char& each : bytes) each = static_cast<unsigned char>(draw_(256));
    for (PageStore* const memory : {&memory_, &expected_})
      memory->write(copy.source, bytes.data(), bytes.size());
    expected_.write(copy.destination, bytes.data(), bytes.size());
    write_number(expected_, descriptor + kStatusOffset, 1, 4);
    host_.start(descriptor);
    for (std::uint64_t left = kCopyPatience; left != 0 && !host_.is_over() && !failure_; --left)
      bench_.cycle(host_);
    if (failure_) return;
    if (!host_.is_over()) {
      bench_.finish();
      return fail_data(Axi4Check::all_answered, Axi4Channel::b, text_ + " does not end");
    }
    compare(copy.destination, copy.bytes);
    compare(copy.source, copy.bytes);
    if (read_number(memory_, descriptor + kStatusOffset, 4) != 1)
      fail_data(Axi4Check::data, Axi4Channel::w, text_ + ": the status is not 1");
    compare(descriptor, kDescriptorBytes);
  }
  /// With a margin.
  void compare(std::uint64_t address, std::uint64_t bytes) {
    constexpr std::uint64_t kMargin = 256;
    const std::uint64_t first = address < kMargin ? 0 : address - kMargin;
    std::vector<unsigned char> got(address + bytes + kMargin - first), expected(got.size());
    memory_.read(first, got.data(), got.size());
    expected_.read(first, expected.data(), expected.size());
    const auto differ = std::mismatch(got.begin(), got.end(), expected.begin());
    if (differ.first == got.end()) return;
    fail_data(Axi4Check::data, Axi4Channel::w,
              say(text_, ": ", int{*differ.first}, " in place of ", int{*differ.second}, " at byte ",
                  first + static_cast<std::uint64_t>(differ.first - got.begin())));
  }
  void fail_data(Axi4Check check, Axi4Channel channel, const std::string& seen) {
    fail({&axi4_rule(check, channel), bench_.cycles(), 0, seen});
  }
  void fail(const Axi4Violation& violation) {
    if (!failure_) failure_ = violation;
  }

  Axi4Draws draw_;
  PageStore memory_, expected_;
  std::optional<Axi4Violation> failure_;
  Axi4Bench bench_;
  EngineHost host_;
  std::array<std::uint64_t, 5> pages_{};  // of sources, destinations and descriptors
  std::string text_;
};

}  // namespace

Axi4StressResult stress_axi4_copy(const RtlDesign& design, RtlModel& model, RtlModel* twin,
                                  const Axi4StressOptions& options, const Axi4Progress& progress) {
  const std::clock_t begin = std::clock();
  const auto seconds = [&] { return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC; };
  Axi4StressResult result;
  constexpr std::uint32_t kOneWithTwin = 4;
  for (std::uint32_t i = 0; result.passed() && (options.cases == 0 || i < options.cases); ++i) {
    if (options.seconds != 0 && seconds() > options.seconds) break;
    CopyPlay(design, model, i % kOneWithTwin == 0 ? twin : nullptr, options.seed + i)
        .run(options.transactions, result);
    ++result.cases;
    if (progress) progress(result);
    if (!result.passed()) result.failed_seed = options.seed + i;
  }
  return result;
}

}  // namespace wafertlm
