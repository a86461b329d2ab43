// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/partition/npz.h"

#include <zip.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace wafertlm::partition {
namespace {

constexpr std::uint64_t kMaxArrayBytes = std::uint64_t{1} << 32;
const std::string kSuffix = ".npy";

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;

Archive opened(const std::string& path) {
  int error = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &error), &zip_discard);
  if (archive) return archive;
  zip_error_t described;
  zip_error_init_with_code(&described, error);
  const std::string text = zip_error_strerror(&described);
  zip_error_fini(&described);
  throw std::invalid_argument(
      path + ": this is not a whole NumPy archive (.npz, as numpy.savez writes it): " + text);
}

/// "weights 'fc1.npy'" without its suffix.
std::string array_name(const std::string& entry) {
  const bool has_suffix = entry.size() > kSuffix.size() &&
                          entry.compare(entry.size() - kSuffix.size(), kSuffix.size(), kSuffix) == 0;
  return has_suffix ? entry.substr(0, entry.size() - kSuffix.size()) : std::string();
}

std::string contents(zip_t* archive, zip_uint64_t index, const std::string& where) {
  zip_stat_t about;
  zip_stat_init(&about);
  if (zip_stat_index(archive, index, 0, &about) != 0)
    throw std::invalid_argument(where + ": " + zip_strerror(archive));
  if (about.size > kMaxArrayBytes) throw std::invalid_argument(where + ": is larger than 4 GiB");
  const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> file(zip_fopen_index(archive, index, 0),
                                                                &zip_fclose);
  if (!file) throw std::invalid_argument(where + ": " + zip_strerror(archive));
  std::string bytes(about.size, '\0');
  const zip_int64_t read = zip_fread(file.get(), bytes.data(), bytes.size());
  char end;  // the sum is checked at the end
  if (read < 0 || static_cast<std::uint64_t>(read) != about.size || zip_fread(file.get(), &end, 1) != 0)
    throw std::invalid_argument(where + ": is damaged: " + zip_file_strerror(file.get()));
  return bytes;
}

std::string dimensions(const NpyArray& array) {
  std::string text;
  for (const std::size_t length : array.shape) text += (text.empty() ? "" : " × ") + std::to_string(length);
  return text.empty() ? "a single value" : text;
}

Layer layer_of(const std::string& name, const NpyArray& array, Rows rows) {
  Layer layer{name, array.shape[0], array.shape[1], array.values};
  if (rows == Rows::outputs) return layer;
  std::swap(layer.outputs, layer.inputs);
  for (std::size_t i = 0; i < layer.outputs; ++i)
    for (std::size_t j = 0; j < layer.inputs; ++j)
      layer.weights[i * layer.inputs + j] = array.values[j * layer.outputs + i];
  return layer;
}

}  // namespace

Chain read_npz(const std::string& path, const std::vector<std::string>& names, Rows rows) {
  const Archive archive = opened(path);
  std::vector<std::string> arrays;  // by entry; "": none
  std::string known;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive.get(), 0); ++i) {
    const char* const entry = zip_get_name(archive.get(), static_cast<zip_uint64_t>(i), 0);
    arrays.push_back(entry ? array_name(entry) : "");
    if (!arrays.back().empty()) known += (known.empty() ? "" : ", ") + arrays.back();
  }
  Chain chain;
  for (const std::string& name : names.empty() ? arrays : names) {
    if (name.empty()) continue;
    const auto found = std::find(arrays.begin(), arrays.end(), name);
    if (found == arrays.end())
      throw std::invalid_argument(path + ": there is no array '" + name + "'; there are: " + known);
    const std::string where = path + ": array '" + name + "'";
    const auto index = static_cast<zip_uint64_t>(found - arrays.begin());
    const NpyArray array = parse_npy(contents(archive.get(), index, where), where);
    if (array.shape.size() == 1 && names.empty()) continue;  // a bias
    if (array.shape.size() != 2 || array.values.empty())
      throw std::invalid_argument(
          where + ": is " + dimensions(array) +
          "; a layer is a matrix, outputs × inputs. List the arrays to take in 'arrays'");
    chain.push_back(layer_of(name, array, rows));
  }
  if (chain.empty()) throw std::invalid_argument(path + ": there is no matrix in it");
  return chain;
}

}  // namespace wafertlm::partition
