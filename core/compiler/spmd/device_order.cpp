#include "core/compiler/spmd/device_order.h"

#include <algorithm>
#include <numeric>

namespace hilo {
namespace {

// Cuts a list into digits, from the least. Empty when it is no such number.
std::vector<DeviceDigit> digitsOf(std::span<const int64_t> devices) {
  std::vector<DeviceDigit> digits;
  const auto count = static_cast<int64_t>(devices.size());
  int64_t inner = 1;
  while (inner < count) {
    const int64_t stride = devices[static_cast<size_t>(inner)] - devices[0];
    int64_t size = 1;
    while (size * inner < count && devices[static_cast<size_t>(size * inner)] - devices[0] == size * stride)
      ++size;
    while (count / inner % size != 0) --size;
    if (size <= 1 || stride <= 0) return {};
    digits.push_back({size, stride});
    inner *= size;
  }
  std::ranges::reverse(digits);
  return digits;
}

int64_t deviceAt(std::span<const DeviceDigit> digits, int64_t place) {
  int64_t device = 0;
  for (size_t i = digits.size(); i-- > 0;) {
    device += place % digits[i].size * digits[i].stride;
    place /= digits[i].size;
  }
  return device;
}

// Digits of devices 0, 1, ..: their strides are products of the smaller ones' sizes.
bool areOfAllDevices(std::vector<DeviceDigit> digits) {
  std::ranges::sort(digits, {}, &DeviceDigit::stride);
  int64_t stride = 1;
  for (const DeviceDigit& digit : digits) {
    if (digit.stride != stride) return false;
    stride *= digit.size;
  }
  return true;
}

bool isList(std::span<const DeviceDigit> digits, std::span<const int64_t> devices) {
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i] != deviceAt(digits, static_cast<int64_t>(i))) return false;
  }
  return true;
}

std::vector<int64_t> transposedList(std::span<const int64_t> elements, std::span<const int64_t> sizes,
                                    std::span<const size_t> order) {
  const size_t rank = sizes.size();
  std::vector<int64_t> strides(rank, 1);
  for (size_t d = rank; d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
  std::vector<int64_t> result, index(rank, 0);
  result.reserve(elements.size());
  while (result.size() < elements.size()) {
    int64_t at = 0;
    for (size_t i = 0; i < rank; ++i) at += index[i] * strides[order[i]];
    result.push_back(elements[static_cast<size_t>(at)]);
    for (size_t i = rank; i-- > 0;) {
      if (++index[i] < sizes[order[i]]) break;
      index[i] = 0;
    }
  }
  return result;
}

}  // namespace

int64_t productOfSizes(std::span<const int64_t> sizes) {
  constexpr int64_t kMost = int64_t{1} << 20;
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size <= 0 || size > kMost / product) return 0;
    product *= size;
  }
  return product;
}

DeviceOrder DeviceOrder::ofDigits(std::vector<DeviceDigit> digits) {
  DeviceOrder order;
  order.count_ = 1;
  for (const DeviceDigit& digit : digits) {
    order.count_ *= digit.size;
    if (digit.size == 1) continue;
    auto& kept = order.digits_;
    if (!kept.empty() && kept.back().stride == digit.size * digit.stride)
      kept.back() = {kept.back().size * digit.size, digit.stride};
    else
      kept.push_back(digit);
  }
  return order;
}

DeviceOrder::DeviceOrder(std::vector<int64_t> devices) : count_(static_cast<int64_t>(devices.size())) {
  std::vector<DeviceDigit> digits = digitsOf(devices);
  const bool isIota = !devices.empty() && (!digits.empty() || devices.size() == 1) &&
                      areOfAllDevices(digits) && isList(digits, devices);
  if (isIota)
    *this = ofDigits(std::move(digits));
  else
    listed_ = std::move(devices);
}

DeviceOrder DeviceOrder::iota(int64_t count) { return ofDigits({{count, 1}}); }

DeviceOrder DeviceOrder::iota(std::span<const int64_t> reshape, std::span<const int64_t> permutation) {
  if (productOfSizes(reshape) == 0) return {};
  std::vector<size_t> order(permutation.begin(), permutation.end()), sorted = order;
  std::ranges::sort(sorted);
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != i || sorted.size() != reshape.size()) return {};
  }
  return permutation.empty() ? iota(productOfSizes(reshape))
                             : iota(productOfSizes(reshape)).transposed(reshape, order);
}

int64_t DeviceOrder::operator[](size_t place) const {
  return listed_.empty() ? deviceAt(digits_, static_cast<int64_t>(place)) : listed_[place];
}

std::vector<int64_t> DeviceOrder::list() const {
  if (!listed_.empty()) return listed_;
  std::vector<int64_t> devices(size());
  for (size_t i = 0; i < devices.size(); ++i) devices[i] = (*this)[i];
  return devices;
}

std::optional<DeviceIota> DeviceOrder::iota() const {
  if (!listed_.empty() || count_ == 0) return std::nullopt;
  std::vector<size_t> byStride(digits_.size());
  std::iota(byStride.begin(), byStride.end(), 0);
  std::ranges::sort(byStride, [&](size_t a, size_t b) { return digits_[a].stride > digits_[b].stride; });
  DeviceIota iota{.reshape = {}, .permutation = std::vector<int64_t>(digits_.size())};
  for (size_t i = 0; i < byStride.size(); ++i) {
    iota.reshape.push_back(digits_[byStride[i]].size);
    iota.permutation[byStride[i]] = static_cast<int64_t>(i);
  }
  if (iota.reshape.empty()) iota.reshape = {1};
  if (iota.permutation.size() <= 1) iota.permutation.clear();
  return iota;
}

bool DeviceOrder::isPermutationOf(int64_t count) const {
  if (listed_.empty()) return count_ == count;
  std::vector<int64_t> devices = listed_;
  std::ranges::sort(devices);
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i] != static_cast<int64_t>(i)) return false;
  }
  return count_ == count;
}

std::optional<std::vector<std::vector<DeviceDigit>>> DeviceOrder::cutInto(
    std::span<const int64_t> sizes) const {
  if (!listed_.empty()) return std::nullopt;
  std::vector<std::vector<DeviceDigit>> cut(sizes.size());
  std::vector<DeviceDigit> left = digits_;
  for (size_t d = sizes.size(); d-- > 0;) {
    for (int64_t needed = sizes[d]; needed > 1;) {
      if (left.empty()) return std::nullopt;
      DeviceDigit& last = left.back();
      const int64_t take = std::min(needed, last.size);
      if (needed % take != 0 || last.size % take != 0) return std::nullopt;
      cut[d].insert(cut[d].begin(), {take, last.stride});
      last = {last.size / take, last.stride * take};
      if (last.size == 1) left.pop_back();
      needed /= take;
    }
  }
  return left.empty() ? std::optional(cut) : std::nullopt;
}

DeviceOrder DeviceOrder::transposed(std::span<const int64_t> sizes, std::span<const size_t> order) const {
  const auto cut = cutInto(sizes);
  if (!cut) return DeviceOrder(transposedList(list(), sizes, order));
  std::vector<DeviceDigit> digits;
  for (size_t d : order) digits.insert(digits.end(), (*cut)[d].begin(), (*cut)[d].end());
  return ofDigits(std::move(digits));
}

DeviceOrder DeviceOrder::withSortedRuns(int64_t length) const {
  if (length <= 1) return *this;
  const std::vector<int64_t> sizes = {count_ / length, length};
  if (auto cut = cutInto(sizes)) {
    std::ranges::sort((*cut)[1], std::greater<>(), &DeviceDigit::stride);
    (*cut)[0].insert((*cut)[0].end(), (*cut)[1].begin(), (*cut)[1].end());
    return ofDigits(std::move((*cut)[0]));
  }
  std::vector<int64_t> devices = list();
  for (auto run = devices.begin(); run != devices.end(); run += length) std::sort(run, run + length);
  return DeviceOrder(std::move(devices));
}

DeviceOrder DeviceOrder::repeated(int64_t count) const {
  if (count == 1) return *this;
  if (listed_.empty()) {
    std::vector<DeviceDigit> digits = {{count, count_}};
    digits.insert(digits.end(), digits_.begin(), digits_.end());
    return ofDigits(std::move(digits));
  }
  std::vector<int64_t> devices;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t device : listed_) devices.push_back(i * count_ + device);
  }
  return DeviceOrder(std::move(devices));
}

DeviceNumbers DeviceOrder::placesAlong(std::span<const int64_t> sizes, size_t dimension) const {
  if (const auto cut = cutInto(sizes)) {
    std::vector<DeviceNumbers::Term> terms;
    int64_t weight = 1;
    for (size_t i = (*cut)[dimension].size(); i-- > 0;) {
      const DeviceDigit& digit = (*cut)[dimension][i];
      terms.push_back({digit.size, digit.stride, weight});
      weight *= digit.size;
    }
    return {count_, std::move(terms)};
  }
  const int64_t inner = productOfSizes(sizes.subspan(dimension + 1));
  std::vector<int64_t> places(size());
  const std::vector<int64_t> devices = list();
  for (size_t i = 0; i < devices.size(); ++i)
    places[static_cast<size_t>(devices[i])] = static_cast<int64_t>(i) / inner % sizes[dimension];
  return DeviceNumbers(std::move(places));
}

std::optional<DeviceOrder> DeviceOrder::sortedBy(const DeviceNumbers& numbers, int64_t groups) {
  const auto count = static_cast<int64_t>(numbers.size());
  if (groups <= 0 || count % groups != 0) return std::nullopt;
  if (!numbers.isListed()) {
    std::vector<DeviceNumbers::Term> terms(numbers.terms().begin(), numbers.terms().end());
    // Digits that no term has, between those that some have.
    std::vector<DeviceDigit> copies;
    int64_t stride = 1;
    for (const auto& term : terms) {
      if (term.stride > stride) copies.insert(copies.begin(), {term.stride / stride, stride});
      stride = term.stride * term.size;
    }
    if (count > stride) copies.insert(copies.begin(), {count / stride, stride});
    std::ranges::sort(terms, {}, &DeviceNumbers::Term::weight);
    std::vector<DeviceDigit> digits;
    int64_t weight = 1;
    for (const auto& term : terms) {
      if (term.weight != weight) return std::nullopt;
      digits.insert(digits.begin(), {term.size, term.stride});
      weight *= term.size;
    }
    if (weight != groups) return std::nullopt;
    digits.insert(digits.end(), copies.begin(), copies.end());
    return ofDigits(std::move(digits));
  }
  std::vector<std::vector<int64_t>> members(static_cast<size_t>(groups));
  for (int64_t device = 0; device < count; ++device)
    members[static_cast<size_t>(numbers[static_cast<size_t>(device)])].push_back(device);
  std::vector<int64_t> devices;
  for (const auto& group : members) {
    if (static_cast<int64_t>(group.size()) != count / groups) return std::nullopt;
    devices.insert(devices.end(), group.begin(), group.end());
  }
  return DeviceOrder(std::move(devices));
}

}  // namespace hilo
