// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace wafertlm::test {

/// A fixture of tests that read sample traces of others, which are not part of the project. They are looked
/// for in $WAFERTLM_SHARED/traces, then in ../shared/traces beside the project. Missing: skipped, a failure
/// when CI=true.
template <typename Fixture>
class WithSampleTraces : public Fixture {
 protected:
  void SetUp() override {
    const char* shared = std::getenv("WAFERTLM_SHARED");
    const std::filesystem::path source = WAFERTLM_SOURCE_DIR;
    traces_ =
        (shared != nullptr ? std::filesystem::path(shared) : source.parent_path() / "shared") / "traces";
    if (std::filesystem::is_directory(traces_)) return;
    const char* ci = std::getenv("CI");
    if (ci != nullptr && std::string(ci) == "true") FAIL() << "no sample traces at " << traces_;
    GTEST_SKIP() << "no sample traces at " << traces_ << "; set WAFERTLM_SHARED";
  }

  /// A path below the folder of the sample traces.
  std::string trace(const std::string& path) const { return (traces_ / path).string(); }

 private:
  std::filesystem::path traces_;
};

}  // namespace wafertlm::test
