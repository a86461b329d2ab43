// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <verilated.h>
#include <verilated_cov.h>
#include <verilated_vcd_c.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <type_traits>
#include <vector>

#include "models/rtl/model.h"
#include "models/rtl/stream_pins.h"

namespace wafertlm {

/// A signal whose value is there at once. Verilator's module reads and writes its pins only while it is
/// evaluated, and it is evaluated by hand: no delta cycles, no events.
template <class T>
class RtlSignal final : public sc_core::sc_signal<T, sc_core::SC_UNCHECKED_WRITERS> {
 public:
  using sc_core::sc_signal<T, sc_core::SC_UNCHECKED_WRITERS>::sc_signal;
  void write(const T& value) override { this->m_cur_val = value; }
  T& value() { return this->m_cur_val; }
};

template <class T>
class VerilatedPin final : public RtlPin {
 public:
  template <class Port>
  VerilatedPin(const std::string& pin_name, Port& port)
      : RtlPin(pin_name, width()), signal_(sc_core::sc_gen_unique_name(pin_name.c_str())) {
    port.bind(signal_);
  }
  void push() override {
    if constexpr (std::is_integral_v<T>) {
      signal_.value() = static_cast<T>(get(0, width()));
    } else {
      for (std::size_t i = 0; i < words.size(); ++i) signal_.value().set_word(static_cast<int>(i), words[i]);
    }
  }
  void pull() override {
    if constexpr (std::is_integral_v<T>) {
      set(0, width(), signal_.value());
    } else {
      for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = static_cast<std::uint32_t>(signal_.value().get_word(static_cast<int>(i)));
    }
  }

 private:
  static std::uint32_t width() {
    if constexpr (std::is_same_v<T, bool>)
      return 1;
    else if constexpr (std::is_integral_v<T>)
      return sizeof(T) * 8;
    else
      return static_cast<std::uint32_t>(T().length());
  }
  RtlSignal<T> signal_;
};

/// A module that Verilator has made with --sc. `evaluate` is its function of that name, which is private
/// there.
template <class Module>
class VerilatedModel final : public RtlModel {
 public:
  explicit VerilatedModel(const std::string& instance, void (*evaluate)(Module&))
      : module_(random_registers(instance).c_str()), evaluate_(evaluate) {}
  template <class Port>
  void add(const std::string& name, Port& port) {
    using T = std::decay_t<decltype(port->read())>;
    pins_[name] = std::make_unique<VerilatedPin<T>>(name, port);
  }
  Module& module() { return module_; }

  RtlPin& pin(const std::string& name) override {
    const auto found = pins_.find(name);
    if (found == pins_.end())
      throw std::invalid_argument(std::string(module_.name()) + " has no pin " + name);
    return *found->second;
  }
  void evaluate() override { evaluate_(module_); }
  void set_plusargs(const std::vector<std::string>& arguments) override { set_arguments(arguments); }
  static void set_arguments(const std::vector<std::string>& arguments) {
    std::vector<std::string> texts = {"wafertlm"};
    for (const std::string& each : arguments) texts.push_back("+" + each);
    std::vector<const char*> pointers;
    for (const std::string& each : texts) pointers.push_back(each.c_str());
    Verilated::commandArgs(static_cast<int>(pointers.size()), pointers.data());
  }
#ifdef WAFERTLM_RTL_COVERAGE
  bool counts_coverage() const override { return true; }
  void write_coverage(const std::string& path) override {
    Verilated::threadContextp()->coveragep()->write(path.c_str());
  }
#endif

  void open_waves(const std::string& path, const RtlWaveWindow& window) override {
    times_ = RtlWaveTimes(window);
    Verilated::threadContextp()->traceEverOn(true);
    waves_ = std::make_unique<VerilatedVcdC>();
    waves_->set_time_unit("1ps");
    waves_->set_time_resolution("1ps");
    module_.trace(waves_.get(), 99);
    waves_->open(path.c_str());
    if (!waves_->isOpen()) throw std::runtime_error("the waveform " + path + " cannot be written");
  }
  void dump_waves(TimePs edge_ps, bool high) override {
    if (!waves_) return;
    const std::optional<TimePs> at_ps = times_.at(edge_ps, high);
    if (!at_ps) return;
    if (high) evaluate();  // with the inputs of the cycle, which is otherwise done when the clock falls
    waves_->dump(*at_ps);
  }
  void close_waves() override {
    if (waves_) waves_->close();
    waves_.reset();
  }

 private:
  /// What no reset sets begins with any value, always the same one, as in silicon; zeros would hide it.
  static const std::string& random_registers(const std::string& instance) {
    Verilated::threadContextp()->randReset(2);
    Verilated::threadContextp()->randSeed(1);
    set_arguments({});  // or $test$plusargs stops the program
    return instance;
  }

  Module module_;
  void (*evaluate_)(Module&);
  std::map<std::string, std::unique_ptr<RtlPin>> pins_;
  std::unique_ptr<VerilatedVcdC> waves_;
  RtlWaveTimes times_;
};

/// Gives `make` the name of a private member function: access is not checked in an explicit instantiation.
template <class Module, void (Module::*evaluate)()>
struct EvaluatedBy {
  friend void evaluate_module(Module& module) { (module.*evaluate)(); }
};

}  // namespace wafertlm
