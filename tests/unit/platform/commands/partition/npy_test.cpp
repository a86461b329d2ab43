// SPDX-License-Identifier: Apache-2.0
// NumPy's arrays and archives, made byte by byte after the description of their form.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "platform/commands/partition/npz.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::partition {
namespace {

using Bytes = std::string;

/// The first `count` bytes of a number, the least first.
Bytes little(std::uint64_t number, int count) {
  Bytes bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(number >> (8 * i) & 255);
  return bytes;
}

Bytes npy(const Bytes& header, const Bytes& data, int version = 1) {
  const Bytes length = little(header.size(), version == 1 ? 2 : 4);
  return "\x93NUMPY" + little(static_cast<unsigned>(version), 1) + little(0, 1) + length + header + data;
}

Bytes header_text(const std::string& type, const std::string& shape, const char* fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': (" + shape + "), }\n";
}

template <typename Number>
Bytes raw(const std::vector<Number>& numbers) {
  Bytes bytes(numbers.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

struct ArrayRow {
  const char* name;
  Bytes bytes;
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

class NumPyArray : public testing::TestWithParam<ArrayRow> {};

TEST_P(NumPyArray, IsRead) {
  const NpyArray array = parse_npy(GetParam().bytes, "w");
  EXPECT_EQ(array.shape, GetParam().shape);
  EXPECT_EQ(array.values, GetParam().values);
}

// Halves by the table of IEEE 754: one, −2, the largest, the least, a third, the least normal one, the
// largest below it.
INSTANTIATE_TEST_SUITE_P(
    Types, NumPyArray,
    testing::Values(
        ArrayRow{"Double", npy(header_text("<f8", "2,"), raw<double>({1.5, -2e300})), {2}, {1.5, -2e300}},
        ArrayRow{"Float", npy(header_text("<f4", "2,"), raw<float>({0.25F, -3})), {2}, {0.25, -3}},
        ArrayRow{"Half",
                 npy(header_text("<f2", "7,"),
                     raw<std::uint16_t>({0x3C00, 0xC000, 0x7BFF, 0x0001, 0x3555, 0x0400, 0x83FF})),
                 {7},
                 {1, -2, 65504, 0x1p-24, 0.333251953125, 0x1p-14, -1023 * 0x1p-24}},
        ArrayRow{
            "Byte", npy(header_text("|i1", "3,"), raw<std::int8_t>({-128, 0, 127})), {3}, {-128, 0, 127}},
        ArrayRow{"Short", npy(header_text("<i2", "2,"), raw<std::int16_t>({-300, 7})), {2}, {-300, 7}},
        ArrayRow{"Int", npy(header_text("<i4", "2,"), raw<std::int32_t>({-70'000, 7})), {2}, {-70'000, 7}},
        ArrayRow{"Long", npy(header_text("<i8", "1,"), raw<std::int64_t>({-(1LL << 40)})), {1}, {-0x1p40}},
        ArrayRow{"Rows",
                 npy(header_text("|i1", "2, 3"), raw<std::int8_t>({1, 2, 3, 4, 5, 6})),
                 {2, 3},
                 {1, 2, 3, 4, 5, 6}},
        ArrayRow{"Columns",
                 npy(header_text("|i1", "2, 3", "True"), raw<std::int8_t>({1, 4, 2, 5, 3, 6})),
                 {2, 3},
                 {1, 2, 3, 4, 5, 6}},
        ArrayRow{"ColumnsOfOne",
                 npy(header_text("|i1", "3,", "True"), raw<std::int8_t>({1, 2, 3})),
                 {3},
                 {1, 2, 3}},
        ArrayRow{"Single", npy(header_text("|i1", ""), raw<std::int8_t>({9})), {}, {9}},
        ArrayRow{"Empty", npy(header_text("|i1", "0, 4"), ""), {0, 4}, {}},
        ArrayRow{"SecondVersion", npy(header_text("|i1", "1,"), raw<std::int8_t>({5}), 2), {1}, {5}},
        ArrayRow{"ThirdVersion", npy(header_text("|i1", "1,"), raw<std::int8_t>({5}), 3), {1}, {5}},
        ArrayRow{"BytesBehind", npy(header_text("|i1", "1,"), raw<std::int8_t>({5, 6, 7})), {1}, {5}}),
    [](const auto& each) { return std::string(each.param.name); });

struct ArrayMistake {
  const char* name;
  Bytes bytes;
  const char* message;
};

class NumPyMistake : public testing::TestWithParam<ArrayMistake> {};

TEST_P(NumPyMistake, IsRefused) {
  EXPECT_EQ(test::refusal_of([] { parse_npy(GetParam().bytes, "w"); }), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Arrays, NumPyMistake,
    testing::Values(
        ArrayMistake{"NoMagic", "NUMPY 12345678", "w: this is not a NumPy array (no magic string)"},
        ArrayMistake{"NothingBehindTheMagic", "\x93NUMPY", "w: this is not a NumPy array (no magic string)"},
        ArrayMistake{"FourthVersion", npy(header_text("|i1", "1,"), "\5", 4),
                     "w: version 4 of the form is not read"},
        ArrayMistake{"HeaderCut", npy(header_text("|i1", "1,"), "").substr(0, 40),
                     "w: the header is cut short"},
        ArrayMistake{"NoType",
                     npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "abcd"),
                     "w: the header has no type of plain numbers ('descr')"},
        ArrayMistake{"NoOrder", npy("{'descr': '<f4', 'shape': (1,)}", "abcd"),
                     "w: the header has no 'fortran_order'"},
        ArrayMistake{"NoShape", npy("{'descr': '<f4', 'fortran_order': False}", "abcd"),
                     "w: the header has no 'shape'"},
        ArrayMistake{
            "BigEndian", npy(header_text(">f4", "1,"), "abcd"),
            "w: values of type '>f4' are not read; save it as float32 (array.astype(numpy.float32))"},
        ArrayMistake{"OneMissing", npy(header_text("<f4", "2, 2"), Bytes(15, 'x')),
                     "w: is cut short: 3 of 4 values"},
        ArrayMistake{"TooMany", npy(header_text("|i1", "65536, 65536"), ""),
                     "w: the shape (65536, 65536) is too large; at most 2^28 elements are read"},
        ArrayMistake{"TooLong", npy(header_text("|i1", "12345678901,"), ""),
                     "w: the shape (12345678901,) is too large"},
        ArrayMistake{"ThreeDimensionsOfColumns", npy(header_text("|i1", "1, 1, 2", "True"), "ab"),
                     "w: has more than two dimensions in Fortran order"}),
    [](const auto& each) { return std::string(each.param.name); });

std::uint32_t crc_of(const Bytes& bytes) {
  std::uint32_t crc = ~0U;
  for (const char each : bytes) {
    crc ^= static_cast<unsigned char>(each);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0);
  }
  return ~crc;
}

/// A zip archive whose entries are stored as they are.
Bytes zip_of(const std::vector<std::pair<std::string, Bytes>>& entries) {
  Bytes files, directory;
  for (const auto& [name, bytes] : entries) {
    const Bytes about = little(20, 2) + little(0, 8) + little(crc_of(bytes), 4) + little(bytes.size(), 4) +
                        little(bytes.size(), 4) + little(name.size(), 2) + little(0, 2);
    directory += "PK\1\2" + little(20, 2) + about + little(0, 10) + little(files.size(), 4) + name;
    files += "PK\3\4" + about + name + bytes;
  }
  return files + directory + "PK\5\6" + little(0, 4) + little(entries.size(), 2) + little(entries.size(), 2) +
         little(directory.size(), 4) + little(files.size(), 4) + little(0, 2);
}

class NumPyArchive : public testing::Test {
 protected:
  std::string refusal(const std::vector<std::string>& names) const {
    std::string why = test::refusal_of([&] { read_npz(path_, names, Rows::outputs); });
    if (why.rfind(path_, 0) == 0) why = why.substr(path_.size());
    return why;
  }
  void write(const std::vector<std::pair<std::string, Bytes>>& entries) {
    folder_.write("w.npz", zip_of(entries));
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.path() + "/w.npz";
  const Bytes matrix_ = npy(header_text("|i1", "2, 3"), raw<std::int8_t>({1, 2, 3, 4, 5, 6})),
              bias_ = npy(header_text("|i1", "2,"), raw<std::int8_t>({8, 9}));
};

TEST_F(NumPyArchive, HasTheMatricesInOrder) {
  write({{"b.npy", bias_}, {"w.npy", matrix_}, {"notes.txt", "x"}});
  const Chain chain = read_npz(path_, {}, Rows::outputs);
  ASSERT_EQ(chain.size(), 1U);
  EXPECT_EQ(chain[0].name, "w");
  EXPECT_EQ(chain[0].outputs, 2U);
  EXPECT_EQ(chain[0].inputs, 3U);
  EXPECT_EQ(chain[0].weight(1, 0), 4);
}

TEST_F(NumPyArchive, RowsMayBeInputs) {
  write({{"w.npy", matrix_}});
  const Chain chain = read_npz(path_, {}, Rows::inputs);
  EXPECT_EQ(chain[0].outputs, 3U);
  EXPECT_EQ(chain[0].inputs, 2U);
  EXPECT_EQ(chain[0].weights, (std::vector<double>{1, 4, 2, 5, 3, 6}));
}

TEST_F(NumPyArchive, HasTheArraysThatAreNamedInTheirOrder) {
  write({{"a.npy", matrix_}, {"b.npy", npy(header_text("|i1", "1, 2"), raw<std::int8_t>({7, 8}))}});
  const Chain chain = read_npz(path_, {"b", "a"}, Rows::outputs);
  ASSERT_EQ(chain.size(), 2U);
  EXPECT_EQ(chain[0].name, "b");
  EXPECT_EQ(chain[0].weights, (std::vector<double>{7, 8}));
  EXPECT_EQ(chain[1].name, "a");
}

TEST_F(NumPyArchive, NamesFileAndArray) {
  write({{"a.npy", matrix_},
         {"b.npy", bias_},
         {"c.npy", npy(header_text("|i1", "1, 1, 1"), "x")},
         {"d.npy", npy(header_text("|i1", ""), "x")},
         {"e.npy", npy(header_text("|i1", "0, 4"), "")},
         {"f.npy", "nothing"}});
  const std::string why = "; a layer is a matrix, outputs × inputs. List the arrays to take in 'arrays'";
  EXPECT_EQ(refusal({"a"}), "");
  EXPECT_EQ(refusal({"g"}), ": there is no array 'g'; there are: a, b, c, d, e, f");
  EXPECT_EQ(refusal({"b"}), ": array 'b': is 2" + why);
  EXPECT_EQ(refusal({"c"}), ": array 'c': is 1 × 1 × 1" + why);
  EXPECT_EQ(refusal({"d"}), ": array 'd': is a single value" + why);
  EXPECT_EQ(refusal({"e"}), ": array 'e': is 0 × 4" + why);
  EXPECT_EQ(refusal({"f"}), ": array 'f': this is not a NumPy array (no magic string)");
  EXPECT_EQ(refusal({}), ": array 'c': is 1 × 1 × 1" + why);
  write({{"b.npy", bias_}});
  EXPECT_EQ(refusal({}), ": there is no matrix in it");
}

TEST_F(NumPyArchive, DamageIsFound) {
  Bytes archive = zip_of({{"a.npy", matrix_}});
  archive[archive.find(matrix_) + matrix_.size() - 1] ^= 1;
  folder_.write("w.npz", archive);
  EXPECT_EQ(refusal({}).rfind(": array 'a': is damaged: ", 0), 0U) << refusal({});
  folder_.write("w.npz", archive.substr(0, archive.size() - 10));
  EXPECT_EQ(refusal({}).rfind(": this is not a whole NumPy archive (.npz, as numpy.savez writes it): ", 0),
            0U)
      << refusal({});
}

}  // namespace
}  // namespace wafertlm::partition
