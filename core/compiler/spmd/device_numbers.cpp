// Numbers that differ from device to device.
#include <algorithm>

#include "core/compiler/spmd/device_order.h"

namespace hilo {
namespace {

using Term = DeviceNumbers::Term;

// The places where digits of any of the terms begin or end; empty when they do not divide one another.
std::vector<int64_t> bordersOf(std::span<const Term> terms, int64_t count) {
  std::vector<int64_t> borders = {1, count};
  for (const Term& term : terms) {
    borders.push_back(term.stride);
    borders.push_back(term.stride * term.size);
  }
  std::ranges::sort(borders);
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  for (size_t i = 0; i + 1 < borders.size(); ++i) {
    if (borders[i + 1] % borders[i] != 0) return {};
  }
  return borders;
}

bool covers(const Term& term, int64_t stride) {
  return stride >= term.stride && stride < term.stride * term.size;
}

}  // namespace

DeviceNumbers::DeviceNumbers(int64_t devices, std::vector<Term> terms, int64_t constant)
    : count_(devices), constant_(constant), terms_(std::move(terms)) {
  normalise();
}

DeviceNumbers::DeviceNumbers(std::vector<int64_t> listed)
    : count_(static_cast<int64_t>(listed.size())), listed_(std::move(listed)) {}

void DeviceNumbers::normalise() {
  const std::vector<int64_t> borders = bordersOf(terms_, count_);
  if (borders.empty()) {
    std::vector<int64_t> numbers = list();
    *this = DeviceNumbers(std::move(numbers));
    return;
  }
  std::vector<Term> pieces;
  for (size_t i = 0; i + 1 < borders.size(); ++i) {
    Term piece{borders[i + 1] / borders[i], borders[i], 0};
    for (const Term& term : terms_) {
      if (covers(term, piece.stride)) piece.weight += piece.stride / term.stride * term.weight;
    }
    if (piece.weight == 0) continue;
    const bool continues = !pieces.empty() && pieces.back().stride * pieces.back().size == piece.stride &&
                           pieces.back().weight * pieces.back().size == piece.weight;
    if (continues)
      pieces.back().size *= piece.size;
    else
      pieces.push_back(piece);
  }
  terms_ = std::move(pieces);
}

int64_t DeviceNumbers::operator[](size_t device) const {
  if (isListed()) return listed_[device];
  int64_t number = constant_;
  for (const Term& term : terms_)
    number += static_cast<int64_t>(device) / term.stride % term.size * term.weight;
  return number;
}

std::vector<int64_t> DeviceNumbers::list() const {
  if (isListed()) return listed_;
  std::vector<int64_t> numbers(size());
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = (*this)[i];
  return numbers;
}

DeviceNumbers DeviceNumbers::times(int64_t factor) const {
  DeviceNumbers result = *this;
  result.constant_ *= factor;
  for (Term& term : result.terms_) term.weight *= factor;
  for (int64_t& number : result.listed_) number *= factor;
  if (factor == 0) result.terms_.clear();
  return result;
}

DeviceNumbers DeviceNumbers::plus(const DeviceNumbers& other) const {
  if (!isListed() && !other.isListed()) {
    std::vector<Term> terms = terms_;
    terms.insert(terms.end(), other.terms_.begin(), other.terms_.end());
    return {count_, std::move(terms), constant_ + other.constant_};
  }
  std::vector<int64_t> numbers = list();
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] += other[i];
  return DeviceNumbers(std::move(numbers));
}

DeviceNumbers DeviceNumbers::plus(int64_t constant) const {
  DeviceNumbers result = *this;
  if (!isListed()) result.constant_ += constant;
  for (int64_t& number : result.listed_) number += constant;
  return result;
}

DeviceNumbers DeviceNumbers::dividedBy(int64_t divisor) const {
  std::vector<Term> terms;
  bool isCut = !isListed() && constant_ == 0;
  for (const Term& term : terms_) {
    if (!isCut) break;
    if (term.weight % divisor == 0) {
      terms.push_back({term.size, term.stride, term.weight / divisor});
    } else if (term.weight > 0 && divisor % term.weight == 0) {
      // What is below the divisor goes, the rest counts from 1.
      const int64_t dropped = divisor / term.weight;
      if (dropped >= term.size) continue;
      isCut = term.size % dropped == 0;
      terms.push_back({term.size / dropped, term.stride * dropped, 1});
    } else {
      isCut = false;
    }
  }
  if (isCut) return {count_, std::move(terms)};
  std::vector<int64_t> numbers = list();
  for (int64_t& number : numbers) number /= divisor;
  return DeviceNumbers(std::move(numbers));
}

std::vector<std::pair<int64_t, int64_t>> DeviceNumbers::pairs(const DeviceNumbers& a,
                                                              const DeviceNumbers& b) {
  std::vector<Term> terms = a.terms_;
  terms.insert(terms.end(), b.terms_.begin(), b.terms_.end());
  const std::vector<int64_t> borders =
      a.isListed() || b.isListed() ? std::vector<int64_t>() : bordersOf(terms, a.count_);
  // One device for each combination of the digits that matter.
  std::vector<size_t> devices = {0};
  for (size_t i = 0; i + 1 < borders.size(); ++i) {
    const bool matters = std::ranges::any_of(terms, [&](const Term& t) { return covers(t, borders[i]); });
    if (!matters) continue;
    const size_t known = devices.size();
    for (int64_t digit = 1; digit < borders[i + 1] / borders[i]; ++digit) {
      for (size_t k = 0; k < known; ++k)
        devices.push_back(devices[k] + static_cast<size_t>(digit * borders[i]));
    }
  }
  if (borders.empty()) {
    devices.resize(a.size());
    for (size_t i = 0; i < devices.size(); ++i) devices[i] = i;
  }
  std::vector<std::pair<int64_t, int64_t>> result;
  for (size_t device : devices) result.emplace_back(a[device], b[device]);
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

bool operator==(const DeviceNumbers& a, const DeviceNumbers& b) {
  if (a.isListed() != b.isListed()) return a.list() == b.list();
  return a.count_ == b.count_ && a.constant_ == b.constant_ && a.terms_ == b.terms_ && a.listed_ == b.listed_;
}

}  // namespace hilo
