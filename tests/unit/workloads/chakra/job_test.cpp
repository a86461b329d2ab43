// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "tests/unit/workloads/chakra/trace_files.h"
#include "workloads/chakra/validate.h"

namespace wafertlm::chakra::test {
namespace {

constexpr auto kAllReduce = CollectiveType::AllReduce;
constexpr auto kAllGather = CollectiveType::AllGather;

std::vector<TraceSummary> check_job(const std::vector<std::vector<Node>>& ranks,
                                    const std::string& groups = "{}") {
  std::vector<std::unique_ptr<VectorSource>> sources;
  std::vector<NodeSource*> pointers;
  for (const auto& nodes : ranks) {
    sources.push_back(std::make_unique<VectorSource>("job." + std::to_string(sources.size()), nodes));
    pointers.push_back(sources.back().get());
  }
  const auto count = static_cast<std::uint32_t>(ranks.size());
  return validate_job(pointers, CommGroups::from_text(groups, count, "groups"));
}

void expect_job_refused(const std::vector<std::vector<Node>>& ranks, std::initializer_list<std::string> parts,
                        const std::string& groups = "{}") {
  expect_error([&] { check_job(ranks, groups); }, parts);
}

TEST(ValidateJob, AgreeingRanksPass) {
  const std::vector<Node> even{collective(1, kAllReduce, 8), collective(2, kAllGather, 4, "a"),
                               send(3, 1, 5, 100), send(4, 1, 5, 200)};
  const std::vector<Node> odd{collective(9, kAllGather, 4, "a"), collective(8, kAllReduce, 8, "0"),
                              receive(3, 0, 5, 100), receive(4, 0, 5, 200)};
  const std::vector<Node> third{collective(1, kAllReduce, 8)};
  const auto summaries = check_job({even, odd, third}, R"({"a": [0, 1]})");
  ASSERT_EQ(summaries.size(), 3U);
  EXPECT_EQ(summaries[2].nodes, 1U);
}

TEST(ValidateJob, DisagreementNamesBothRanksAndNodes) {
  const std::vector<Node> first{collective(1, kAllReduce, 8), collective(2, kAllGather, 4)};
  expect_job_refused({first, first, {collective(1, kAllReduce, 8), collective(2, kAllReduce, 4)}},
                     {"collective 1 of the group of all ranks", "rank 0 (job.0) node 2", "ALL_GATHER of 4 B",
                      "rank 2 (job.2) node 2", "ALL_REDUCE of 4 B"});
  expect_job_refused({first, {collective(1, kAllReduce, 16), collective(2, kAllGather, 4)}},
                     {"collective 0", "rank 0 (job.0) node 1", "8 B", "rank 1 (job.1) node 1", "16 B"});
  // The same collectives in another order.
  expect_job_refused({first, {collective(2, kAllGather, 4), collective(1, kAllReduce, 8)}},
                     {"collective 0", "rank 0 (job.0) node 1", "rank 1 (job.1) node 2"});
  expect_job_refused({first, {collective(1, kAllReduce, 8)}},
                     {"collective 1", "rank 0 (job.0) node 2", "rank 1 (job.1) has only 1"});
  expect_job_refused({{collective(1, kAllReduce, 8)}, first},
                     {"collective 1", "rank 1 (job.1) node 2", "rank 0 (job.0) has only 1"});
}

TEST(ValidateJob, ARankThatNeverEntersAGroupIsNamed) {
  const std::string groups = R"({"a": [0, 1]})";
  const std::vector<Node> in{collective(1, kAllReduce, 8, "a")};
  expect_job_refused({in, {comp(1)}}, {"group \"a\"", "rank 0 (job.0) node 1", "rank 1 (job.1) has only 0"},
                     groups);
  expect_job_refused({{comp(1)}, in}, {"group \"a\"", "rank 1 (job.1) node 1", "rank 0 (job.0) has only 0"},
                     groups);
  EXPECT_EQ(check_job({in, in, {comp(1)}}, groups).size(), 3U) << "rank 2 is not in the group";
}

TEST(ValidateJob, TheOrderIsThatOfTheDependenciesNotOfTheFile) {
  auto late = collective(1, kAllReduce, 8);
  late.data_deps = {2};
  EXPECT_EQ(check_job({{late, collective(2, kAllGather, 4)}, {collective(2, kAllGather, 4), late}}).size(),
            2U);
}

TEST(ValidateJob, MessagesNeedTheirOtherSide) {
  expect_job_refused({{send(1, 1, 5, 8), send(2, 1, 5, 8)}, {receive(7, 0, 5, 8)}},
                     {"rank 0 (job.0) node 2 \"send 2\"", "send (source 0, destination 1, tag 5)",
                      "receive at rank 1 (job.1)"});
  expect_job_refused(
      {{comp(1)}, {receive(7, 0, 5, 8)}},
      {"rank 1 (job.1) node 7", "receive (source 0, destination 1, tag 5)", "send from rank 0 (job.0)"});
  expect_job_refused({{send(1, 1, 5, 8)}, {receive(7, 0, 6, 8)}}, {"tag 5"});
  expect_job_refused({{send(1, 1, 5, 8)}, {receive(7, 0, 5, 9)}},
                     {"rank 1 (job.1) node 7", "9 B", "rank 0 (job.0) node 1", "8 B"});
}

TEST(ValidateJob, TheNumberOfTracesMustFit) {
  VectorSource source("s", {comp(1)});
  expect_error([&] { validate_job({&source}, CommGroups(2)); }, {"2 ranks, but 1 traces"});
}

TEST(RankFiles, AreFoundInRankOrder) {
  const TemporaryFolder folder;
  const std::string prefix = folder.file("job.v2");
  for (int rank = 0; rank < 11; ++rank) write_bytes(prefix + "." + std::to_string(rank) + ".et", "x");
  for (const char* other : {".x.et", "..et", "9.et", ".1.et.tmp7", ".1"}) write_bytes(prefix + other, "x");
  const auto files = find_rank_files(prefix);
  ASSERT_EQ(files.size(), 11U);
  EXPECT_EQ(files[2], prefix + ".2.et");
  EXPECT_EQ(files[10], prefix + ".10.et");
}

TEST(RankFiles, TwoFormsOfAJobAreAmbiguousAndANumberThatIsNoRankIsRefused) {
  for (const std::string other : {".0.json", ".0.et.gz", ".1.json", ".7.json"}) {
    const TemporaryFolder folder;
    const std::string prefix = folder.file("job");
    write_bytes(prefix + ".0.et", "x");
    write_bytes(prefix + other, "x");
    expect_error([&] { find_rank_files(prefix); },
                 {prefix + " is ambiguous", prefix + ".0.et", prefix + other});
  }
  for (const std::string other : {".01.et", ".00.json", ".1234567890.et.gz"}) {
    const TemporaryFolder folder;
    const std::string prefix = folder.file("job");
    write_bytes(prefix + other, "x");
    EXPECT_TRUE(has_rank_files(prefix));
    expect_error([&] { find_rank_files(prefix); }, {prefix + other, "looks like a rank"});
    write_bytes(prefix + ".0.et", "x");
    expect_error([&] { find_rank_files(prefix); }, {prefix + other, "rename"});
  }
}

TEST(ValidateJob, RanksThatDisagreeOnTheClassOfACollective) {
  auto expert = collective(4, kAllReduce, 8);
  expert.comm_class = "ep";
  expect_job_refused(
      {{collective(1, kAllReduce, 8)}, {expert}},
      {"collective 0", "rank 0 (job.0) node 1", "class dp", "rank 1 (job.1) node 4", "class ep"});
}

TEST(ValidateJob, TheOrderOfMessagesIsThatOfTheDependenciesToo) {
  // Node 1 comes first in the file and is sent second: its 8 B meet the second receive.
  auto late = send(1, 1, 5, 8);
  late.data_deps = {2};
  const auto summaries = check_job({{late, send(2, 1, 5, 16)}, {receive(7, 0, 5, 16), receive(8, 0, 5, 8)}});
  EXPECT_EQ(summaries[0].numbers, (NumberExceptions{{1, 1}, {2, 0}}));
  EXPECT_TRUE(summaries[1].numbers.empty());
  expect_job_refused({{late, send(2, 1, 5, 16)}, {receive(7, 0, 5, 8), receive(8, 0, 5, 16)}},
                     {"rank 1 (job.1) node 7", "8 B", "rank 0 (job.0) node 2", "16 B"});
}

TEST(RankFiles, AMissingRankIsNamed) {
  const TemporaryFolder folder;
  const std::string prefix = folder.file("job");
  expect_error([&] { find_rank_files(prefix); }, {prefix + ".0.et"});
  expect_error([&] { find_rank_files(folder.file("no/job")); }, {folder.file("no")});
  write_bytes(prefix + ".1.et", "x");
  write_bytes(prefix + ".3.et", "x");
  expect_error([&] { find_rank_files(prefix); }, {"2 of 4", prefix + ".0.et, " + prefix + ".2.et"});
}

TEST(RankFiles, FiveMissingRanksAreNamedAtMost) {
  const TemporaryFolder folder;
  const std::string prefix = folder.file("job");
  const auto missing = [&] {
    try {
      find_rank_files(prefix);
    } catch (const TraceError& error) {
      return std::string(error.what()).substr(prefix.size());
    }
    return std::string();
  };
  const auto named = [&](std::vector<int> ranks) {
    std::string text;
    for (const int rank : ranks)
      text += (text.empty() ? "" : ", ") + prefix + '.' + std::to_string(rank) + ".et";
    return text;
  };
  write_bytes(prefix + ".2.et", "x");
  write_bytes(prefix + ".6.et", "x");
  EXPECT_EQ(missing(), ": 2 of 7 rank files are there; missing: " + named({0, 1, 3, 4, 5}));
  write_bytes(prefix + ".8.et", "x");
  EXPECT_EQ(missing(), ": 3 of 9 rank files are there; missing: " + named({0, 1, 3, 4, 5}) + ", …");
  EXPECT_EQ(all_rank_files(prefix),
            (std::vector<std::string>{prefix + ".2.et", prefix + ".6.et", prefix + ".8.et"}));
  EXPECT_FALSE(has_rank_files(folder.file("jo")));
}

TEST(RankFiles, NamesAreAPrefixANumberAndAForm) {
  const auto parts = [](const std::string& file) -> std::string {
    const auto name = split_rank_file(file);
    if (!name) return "none";
    return name->prefix + '|' + std::to_string(name->rank) + '|' + name->suffix +
           (name->is_plain ? "" : "|?");
  };
  EXPECT_EQ(parts("traces/job.12.et"), "traces/job|12|.et");
  EXPECT_EQ(parts("job.v2.0.et.gz"), "job.v2|0|.et.gz");
  EXPECT_EQ(parts("a.123456789.json"), "a|123456789|.json");
  EXPECT_EQ(parts("a.1234567890.json"), "a|0|.json|?");
  EXPECT_EQ(parts("a.01.et"), "a|1|.et|?");
  for (const char* const other :
       {"a.et", "a..et", ".1.et", "a.1", "a.1x.et", "a.1.gz", "1.et", ".et", "a.x1.et"})
    EXPECT_EQ(parts(other), "none") << other;
}

}  // namespace
}  // namespace wafertlm::chakra::test
