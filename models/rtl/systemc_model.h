// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <type_traits>
#include <vector>

#include "models/rtl/model.h"
#include "models/rtl/pin_waves.h"
#include "models/rtl/stream_pins.h"
#include "models/rtl/systemc_kernel.h"

namespace wafertlm {

/// The words of a signal's value: bool, sc_logic, integers, sc_uint, sc_bv, sc_lv. X and Z are read as 0.
template <class T, class = void>
struct SystemcValue {
  static std::uint32_t bits() { return static_cast<std::uint32_t>(T().length()); }
  static T of(const std::vector<std::uint32_t>& words) {
    return T(words[0] | (words.size() > 1 ? std::uint64_t{words[1]} << 32 : 0));
  }
  static std::uint32_t word(const T& value, std::size_t i) {
    return static_cast<std::uint32_t>(value.to_uint64() >> (32 * i));
  }
};
template <class T>
struct SystemcValue<T, std::enable_if_t<std::is_integral_v<T>>> {
  static std::uint32_t bits() { return std::is_same_v<T, bool> ? 1 : sizeof(T) * 8; }
  static T of(const std::vector<std::uint32_t>& words) {
    return static_cast<T>(words[0] | (words.size() > 1 ? std::uint64_t{words[1]} << 32 : 0));
  }
  static std::uint32_t word(const T& value, std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) >> (32 * i));
  }
};
template <>
struct SystemcValue<sc_dt::sc_logic> {
  static std::uint32_t bits() { return 1; }
  static sc_dt::sc_logic of(const std::vector<std::uint32_t>& words) {
    return sc_dt::sc_logic((words[0] & 1) != 0);
  }
  static std::uint32_t word(const sc_dt::sc_logic& value, std::size_t) {
    return value == sc_dt::SC_LOGIC_1 ? 1 : 0;
  }
};
template <class T>
struct SystemcValue<T, std::void_t<decltype(std::declval<const T&>().get_cword(0))>> {
  static std::uint32_t bits() { return static_cast<std::uint32_t>(T().length()); }
  static T of(const std::vector<std::uint32_t>& words) {
    T value(false);
    for (std::size_t i = 0; i < words.size(); ++i) value.set_word(static_cast<int>(i), words[i]);
    return value;
  }
  static std::uint32_t word(const T& value, std::size_t i) {
    const int at = static_cast<int>(i);
    return static_cast<std::uint32_t>(value.get_word(at) & ~value.get_cword(at));
  }
};

class SystemcPin : public RtlPin {
 public:
  using RtlPin::RtlPin;
  /// As they are on the signal; `words` may be on their way to it.
  virtual std::vector<std::uint32_t> shown() const = 0;
};

template <class T>
class SystemcSignalPin final : public SystemcPin {
 public:
  template <class Port>
  SystemcSignalPin(const std::string& pin_name, Port& port, SystemcKernel& kernel)
      : SystemcPin(pin_name, SystemcValue<T>::bits()), kernel_(kernel), signal_(("pin_" + pin_name).c_str()) {
    port.bind(signal_);
  }
  void push() override {
    const SystemcKernel::Inside inside(kernel_);
    signal_.write(SystemcValue<T>::of(words));
  }
  void pull() override { words = shown(); }
  std::vector<std::uint32_t> shown() const override {
    std::vector<std::uint32_t> made(words.size());
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = SystemcValue<T>::word(signal_.read(), i);
    return made;
  }

 private:
  SystemcKernel& kernel_;
  sc_core::sc_signal<T> signal_;
};

/// A module in SystemC RTL behind sc_signals, with clocked threads, delta cycles and all, in a kernel of its
/// own: evaluate() runs that until it is at rest.
template <class Module>
class SystemcModel final : public RtlModel {
 public:
  explicit SystemcModel(const std::string& instance) {
    const SystemcKernel::Inside inside(kernel_);
    module_ = std::make_unique<Module>(instance.c_str());
  }
  ~SystemcModel() override {
    const SystemcKernel::Inside inside(kernel_);
    module_.reset();
    pins_.clear();
  }
  template <class Port>
  void add(const std::string& name, Port& port) {
    using T = std::decay_t<decltype(port->read())>;
    const SystemcKernel::Inside inside(kernel_);
    pins_[name] = std::make_unique<SystemcSignalPin<T>>(name, port, kernel_);
  }
  Module& module() { return *module_; }

  RtlPin& pin(const std::string& name) override {
    const auto found = pins_.find(name);
    if (found == pins_.end())
      throw std::invalid_argument(std::string(module_->name()) + " has no pin " + name);
    return *found->second;
  }
  void evaluate() override { kernel_.settle(); }
  void open_waves(const std::string& path, const RtlWaveWindow& window) override {
    times_ = RtlWaveTimes(window);
    waves_ = std::make_unique<RtlPinWaves>(path, module_->name(), shown());
  }
  void dump_waves(TimePs edge_ps, bool high) override {
    if (!waves_) return;
    if (const auto at_ps = times_.at(edge_ps, high)) waves_->dump(*at_ps, shown());
  }
  void close_waves() override { waves_.reset(); }

 private:
  std::vector<RtlPinWaves::Pin> shown() const {
    std::vector<RtlPinWaves::Pin> made;
    for (const auto& [name, pin] : pins_) made.push_back({name, pin->bits, pin->shown()});
    return made;
  }

  SystemcKernel kernel_;
  std::unique_ptr<Module> module_;
  std::map<std::string, std::unique_ptr<SystemcPin>> pins_;
  std::unique_ptr<RtlPinWaves> waves_;
  RtlWaveTimes times_;
};

}  // namespace wafertlm
