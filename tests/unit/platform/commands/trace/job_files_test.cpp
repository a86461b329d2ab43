// SPDX-License-Identifier: Apache-2.0
// Which files are a job's traces, and where those of another one are written.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "platform/commands/trace/job_output.h"
#include "platform/commands/trace/trace_job.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/trace_error.h"
#include "workloads/chakra/trace_file.h"
#include "workloads/chakra/validate.h"

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

  std::uint64_t add_one(JobWriter& writer, std::uint32_t rank, std::uint64_t duration_ps = 5) const {
    chakra::VectorSource source("rank", {test::compute(1, duration_ps), test::compute(2, 6, {1})});
    return writer.add(source, output_.file(rank));
  }
  /// Without what is hidden.
  Texts files() const {
    Texts found;
    for (const auto& each : std::filesystem::directory_iterator(folder_.path() + "/new"))
      if (const std::string name = each.path().filename(); name[0] != '.') found.push_back(name);
    std::sort(found.begin(), found.end());
    return found;
  }
  std::string text(std::uint32_t rank) const { return test::read_text(output_.file(rank)); }
  std::optional<std::uint64_t> set(std::uint32_t rank) const {
    return chakra::open_trace(output_.file(rank))->set();
  }
  std::string write(const std::vector<std::uint32_t>& ranks, std::uint64_t duration_ps = 5) const {
    JobWriter writer(output_, ranks);
    for (const std::uint32_t rank : ranks) add_one(writer, rank, duration_ps);
    return writer.commit();
  }
};

TEST_F(JobWriting, PutsAllFilesInPlaceTogether) {
  {
    JobWriter writer(output_, {0, 1});
    EXPECT_EQ(add_one(writer, 0), 2U);
    EXPECT_EQ(add_one(writer, 1), 2U);
    EXPECT_EQ(writer.write(".groups.json", "{}"), output_.prefix + ".groups.json");
    EXPECT_EQ(files(), Texts{});
    EXPECT_EQ(writer.commit(), "");
  }
  EXPECT_EQ(files(), (Texts{"job.0.json", "job.1.json", "job.groups.json"}));
  EXPECT_EQ(write({0, 1}), "");
  EXPECT_EQ(files(), (Texts{"job.0.json", "job.1.json"})) << "the groups were the earlier job's";
}

TEST_F(JobWriting, LeavesNothingWithoutACommit) {
  {
    JobWriter writer(output_, {0});
    add_one(writer, 0);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/new"));
}

TEST_F(JobWriting, RefusesRanksOfAnEarlierJobBeforeItWrites) {
  write({0, 1, 2, 3, 4, 5});
  const std::string old = text(0), start = output_.prefix;
  EXPECT_EQ(test::refusal_of([&] {
              JobWriter(output_, {0, 1});
            }),
            "4 traces of an earlier job would stand beside the new ones and be taken for ranks of theirs: " +
                start + ".2.json, " + start + ".3.json, " + start +
                ".4.json, …; remove them, choose another --out, or give --force to have them removed");
  EXPECT_EQ(text(0), old);
  output_.force = true;
  EXPECT_EQ(write({0, 1, 2}, 7), "removed 3 traces of an earlier job: " + start + ".3.json, " + start +
                                     ".4.json, " + start + ".5.json\n");
  EXPECT_EQ(files(), (Texts{"job.0.json", "job.1.json", "job.2.json"}));
  EXPECT_NE(text(0), old);
}

TEST_F(JobWriting, LeavesFilesOfOthersAlone) {
  for (const std::string name : {"job.0.json", "job.2.json"}) {
    folder_.write("new/" + name, "mine");
    for (const bool force : {false, true}) {
      output_.force = force;
      EXPECT_NE(test::refusal_of([&] { JobWriter(output_, {0, 1}); }).find(name), std::string::npos);
      EXPECT_EQ(test::read_text(folder_.path() + "/new/" + name), "mine");
    }
    std::filesystem::remove(folder_.path() + "/new/" + name);
  }
  output_.force = false;
  write({0});
  folder_.write("new/job.0.json", "changed");
  EXPECT_NE(test::refusal_of([&] { JobWriter(output_, {0}); }).find("job.0.json was changed since"),
            std::string::npos);
}

TEST_F(JobWriting, GivesASetAnIdentityOfItsContent) {
  for (const std::string form : {"et", "et.gz", "json"}) {
    output_ = {folder_.path() + "/new/" + form, form, false};
    write({0, 1});
    const Texts first = {text(0), text(1)};
    const auto identity = set(0);
    ASSERT_TRUE(identity);
    EXPECT_LT(*identity, std::uint64_t{1} << 53);
    EXPECT_EQ(set(1), identity);
    write({0, 1});
    EXPECT_EQ((Texts{text(0), text(1)}), first) << "the same input, the same bytes";
    write({0, 1}, 7);
    EXPECT_NE(set(0), identity);
    EXPECT_EQ(set(0), set(1));
  }
}

TEST_F(JobWriting, RanksOfTwoSetsAreNoJob) {
  output_.form = "et";
  write({0, 1});
  const std::string rank_0 = output_.file(0), rank_1 = output_.file(1);
  std::filesystem::rename(rank_0, folder_.path() + "/kept");
  std::filesystem::remove(rank_1);
  write({0, 1}, 7);
  std::filesystem::rename(folder_.path() + "/kept", rank_0);
  const auto first = chakra::open_trace(rank_0), second = chakra::open_trace(rank_1);
  EXPECT_EQ(test::refusal_of<chakra::TraceError>([&] {
              chakra::validate_job({first.get(), second.get()}, chakra::CommGroups(2));
            }),
            rank_1 + " was not written together with " + rank_0 +
                " (wafertlm_set differs): they are ranks of two jobs; write one of these again");
  // A trace of another program beside ours is another one's, too; several of those are none of our business.
  chakra::VectorSource foreign("foreign", {test::compute(1, 5)}), other("other", {test::compute(1, 5)});
  EXPECT_NE(test::refusal_of<chakra::TraceError>([&] {
              chakra::validate_job({first.get(), &foreign}, chakra::CommGroups(2));
            }),
            "");
  EXPECT_NO_THROW(chakra::validate_job({&other, &foreign}, chakra::CommGroups(2)));
}

}  // namespace
}  // namespace wafertlm
