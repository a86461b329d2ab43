// SPDX-License-Identifier: Apache-2.0
// Which files are a job's traces, and where those of another one are written.
#include <gtest/gtest.h>

#include <filesystem>

#include "platform/commands/trace/job_output.h"
#include "platform/commands/trace/trace_job.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/trace_error.h"

namespace wafertlm {
namespace {

using Texts = std::vector<std::string>;

struct JobsRow {
  const char* name;
  Texts files;      // that are there, in the folder
  Texts arguments;  // in the folder
  const char* found;
};

class TraceJobFiles : public testing::TestWithParam<JobsRow> {};

/// "name: files (rank)", without the folder.
std::string jobs_text(const std::vector<TraceJob>& jobs, const std::string& folder) {
  std::string text;
  for (const TraceJob& job : jobs) {
    text += job.name + ":";
    for (const std::string& file : job.files) text += " " + file;
    text += job.is_whole ? ", whole; " : ", rank " + std::to_string(job.rank) + "; ";
  }
  for (std::size_t at; (at = text.find(folder + "/")) != std::string::npos;)
    text.erase(at, folder.size() + 1);
  return text;
}

TEST_P(TraceJobFiles, ArePutTogether) {
  const test::TempFolder folder;
  for (const std::string& file : GetParam().files) folder.write(file, "");
  Texts arguments;
  for (const std::string& each : GetParam().arguments) arguments.push_back(folder.path() + "/" + each);
  std::string found;
  try {
    found = jobs_text(find_trace_jobs(arguments), folder.path());
  } catch (const chakra::TraceError& error) {
    found = error.what();
    for (std::size_t at; (at = found.find(folder.path() + "/")) != std::string::npos;)
      found.erase(at, folder.path().size() + 1);
  }
  EXPECT_EQ(found, GetParam().found);
}

INSTANTIATE_TEST_SUITE_P(
    Arguments, TraceJobFiles,
    testing::Values(
        JobsRow{"APrefix", {"job.0.et", "job.1.et"}, {"job"}, "job: job.0.et job.1.et, whole; "},
        JobsRow{"OneFile", {}, {"job.7.et"}, "job: job.7.et, rank 7; "},
        JobsRow{"FilesInAnyOrder", {}, {"job.1.et", "job.0.et"}, "job: job.0.et job.1.et, whole; "},
        JobsRow{"MixedForms", {}, {"job.1.json", "job.0.et.gz"}, "job: job.0.et.gz job.1.json, whole; "},
        JobsRow{"TwoJobs", {}, {"b.0.et", "a.3.et"}, "a: a.3.et, rank 3; b: b.0.et, rank 0; "},
        JobsRow{"APrefixAndAFile", {"a.0.et"}, {"b.1.et", "a"}, "a: a.0.et, whole; b: b.1.et, rank 1; "},
        JobsRow{"NoRank", {}, {"trace.et"}, "trace.et: trace.et, rank 0; "},
        JobsRow{"RankTenIsBehindNine",
                {},
                {"j.10.et", "j.9.et", "j.8.et", "j.7.et", "j.6.et", "j.5.et", "j.4.et", "j.3.et", "j.2.et",
                 "j.1.et", "j.0.et"},
                "j: j.0.et j.1.et j.2.et j.3.et j.4.et j.5.et j.6.et j.7.et j.8.et j.9.et j.10.et, whole; "},
        JobsRow{"AHole", {}, {"job.0.et", "job.2.et"}, "job: rank 1 is missing; rank 2 is job.2.et"},
        JobsRow{"NoFirst", {}, {"job.1.et", "job.2.et"}, "job: rank 0 is missing; rank 1 is job.1.et"},
        JobsRow{
            "Twice", {}, {"job.1.et", "job.1.json"}, "job: rank 1 is given twice: job.1.et and job.1.json"},
        JobsRow{"LeadingZeros",
                {},
                {"job.01.et"},
                "job.01.et: looks like a rank's trace, but ranks are written without leading zeros and with "
                "at most nine digits; rename it"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(TraceJobs, DependenciesHaveNames) {
  EXPECT_EQ(dependencies_of("all"), chakra::Dependencies::all);
  EXPECT_EQ(dependencies_of("existing"), chakra::Dependencies::existing);
  EXPECT_EQ(dependencies_of("data"), chakra::Dependencies::data);
}

struct StaleRow {
  Texts stale;
  const char* start;
};

class StaleRanks : public testing::TestWithParam<StaleRow> {};

TEST_P(StaleRanks, AreNamedThreeAtMost) {
  const std::string end = "; remove them, choose another --out, or give --force to have them removed";
  const std::string expected = GetParam().stale.empty() ? "" : GetParam().start + end;
  EXPECT_EQ(test::refusal_of([] { require_no_stale_ranks(GetParam().stale, false); }), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Files, StaleRanks,
    testing::Values(StaleRow{{}, ""},
                    StaleRow{{"a.2.et"},
                             "1 trace of an earlier job would stand beside the new ones and be taken for "
                             "ranks of theirs: a.2.et"},
                    StaleRow{{"a.2.et", "a.3.et", "a.4.et"},
                             "3 traces of an earlier job would stand beside the new ones and be taken for "
                             "ranks of theirs: a.2.et, a.3.et, a.4.et"},
                    StaleRow{{"a.2.et", "a.3.et", "a.4.et", "a.5.et"},
                             "4 traces of an earlier job would stand beside the new ones and be taken for "
                             "ranks of theirs: a.2.et, a.3.et, a.4.et, …"}));

TEST(StaleRanksByForce, AreRemoved) {
  const test::TempFolder folder;
  const std::string one = folder.write("a.2.et", "x"), other = folder.write("a.1.et", "y");
  testing::internal::CaptureStdout();
  require_no_stale_ranks({one}, true);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "removed 1 trace of an earlier job: " + one + "\n");
  EXPECT_FALSE(std::filesystem::exists(one));
  EXPECT_TRUE(std::filesystem::exists(other));
  EXPECT_EQ(
      test::refusal_of([&] { require_no_stale_ranks({one}, true); }).rfind(one + ": cannot be removed: ", 0),
      0U);
}

TEST(JobOutputs, NameTheFilesByRankAndForm) {
  EXPECT_EQ((JobOutput{"out/job", "et.gz", false}.file(12)), "out/job.12.et.gz");
  EXPECT_EQ((JobOutput{"job", "json", true}.file(0)), "job.0.json");
}

struct OverwritesRow {
  const char *out, *job;
  bool is_same;
};

class JobOutputsOverThemselves : public testing::TestWithParam<OverwritesRow> {};

TEST_P(JobOutputsOverThemselves, AreRefusedHoweverTheyAreSpelled) {
  const OverwritesRow& row = GetParam();
  JobOutput output;
  output.prefix = row.out;
  EXPECT_EQ(
      test::refusal_of([&] { output.require_other_than(row.job); }),
      row.is_same ? std::string("--out ") + row.out + " would be written over the traces themselves" : "");
}

INSTANTIATE_TEST_SUITE_P(Prefixes, JobOutputsOverThemselves,
                         testing::Values(OverwritesRow{"a/job", "a/job", true},
                                         OverwritesRow{"a/../a/job", "a/job", true},
                                         OverwritesRow{"./a/job", "a//job", true},
                                         OverwritesRow{"a/job2", "a/job", false},
                                         OverwritesRow{"b/job", "a/job", false}));

class JobWriting : public testing::Test {
 protected:
  test::TempFolder folder_;
  JobOutput output_{folder_.path() + "/new/job", "json", false};

  static std::uint64_t add_one(JobWriter& writer, std::uint32_t rank) {
    chakra::VectorSource source("rank", {test::compute(1, 5), test::compute(2, 6, {1})});
    return writer.add(source, rank);
  }
  Texts files() const {
    Texts found;
    for (const auto& each : std::filesystem::recursive_directory_iterator(folder_.path()))
      if (each.is_regular_file()) found.push_back(each.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }
};

TEST_F(JobWriting, PutsAllFilesInPlaceTogether) {
  {
    JobWriter writer(output_, {0, 1});
    EXPECT_EQ(add_one(writer, 0), 2U);
    EXPECT_EQ(add_one(writer, 1), 2U);
    const Texts before = files();
    EXPECT_EQ(std::count(before.begin(), before.end(), "job.0.json"), 0);
    writer.commit();
  }
  EXPECT_EQ(files(), (Texts{"job.0.json", "job.1.json"}));
}

TEST_F(JobWriting, LeavesNothingWithoutACommit) {
  {
    JobWriter writer(output_, {0});
    add_one(writer, 0);
  }
  EXPECT_EQ(files(), Texts{});
}

TEST_F(JobWriting, RefusesRanksOfAnEarlierJobBeforeItWrites) {
  folder_.write("new/job.0.json", "old");
  folder_.write("new/job.2.json", "old");
  EXPECT_EQ(test::refusal_of([&] {
              JobWriter writer(output_, {0, 1});
            }).rfind("1 trace of an earlier job", 0),
            0U);
  EXPECT_EQ(test::read_text(folder_.path() + "/new/job.0.json"), "old");
  output_.force = true;
  JobWriter writer(output_, {0, 1});
  add_one(writer, 0);
  add_one(writer, 1);
  EXPECT_EQ(test::read_text(folder_.path() + "/new/job.2.json"), "old");  // until the others are complete
  testing::internal::CaptureStdout();
  writer.commit();
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "removed 1 trace of an earlier job: " + folder_.path() + "/new/job.2.json\n");
  EXPECT_EQ(files(), (Texts{"job.0.json", "job.1.json"}));
}

}  // namespace
}  // namespace wafertlm
