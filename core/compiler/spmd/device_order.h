// All devices of a program in some order, and numbers that differ from device to device. An order that is an
// iota reshaped and transposed is held as the digits of a device's number: what is done to it costs the same
// for 8 devices and for 65,536. Any other order is a list.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hilo {

// device / stride % size.
struct DeviceDigit {
  int64_t size = 1, stride = 1;
  friend bool operator==(const DeviceDigit&, const DeviceDigit&) = default;
};

// An iota reshaped to sizes, major first, and transposed.
struct DeviceIota {
  std::vector<int64_t> reshape, permutation;
};

class DeviceNumbers;

// 0 where a size is not positive or the product is over 2^20.
int64_t productOfSizes(std::span<const int64_t> sizes);

class DeviceOrder {
 public:
  DeviceOrder() = default;
  DeviceOrder(std::vector<int64_t> devices);  // NOLINT(google-explicit-constructor): a list is an order
  static DeviceOrder iota(int64_t count);
  // None where the numbers do not fit together, or there are more than 2^20.
  static DeviceOrder iota(std::span<const int64_t> reshape, std::span<const int64_t> permutation);

  size_t size() const { return static_cast<size_t>(count_); }
  int64_t operator[](size_t place) const;
  std::vector<int64_t> list() const;
  std::optional<DeviceIota> iota() const;
  bool isPermutationOf(int64_t count) const;

  // The order as a table of these sizes, its dimensions in another order.
  DeviceOrder transposed(std::span<const int64_t> sizes, std::span<const size_t> order) const;
  // Each run of `length` devices in ascending order.
  DeviceOrder withSortedRuns(int64_t length) const;
  // This order once for each of `count` times as many devices.
  DeviceOrder repeated(int64_t count) const;
  // For each device its place along one dimension of the table.
  DeviceNumbers placesAlong(std::span<const int64_t> sizes, size_t dimension) const;
  // Devices by their number, below `groups`, then by themselves; nullopt where groups differ in size.
  static std::optional<DeviceOrder> sortedBy(const DeviceNumbers& numbers, int64_t groups);

  friend bool operator==(const DeviceOrder&, const DeviceOrder&) = default;

 private:
  static DeviceOrder ofDigits(std::vector<DeviceDigit> digits);
  // The digits cut at the borders of the table's dimensions; nullopt where one cannot be.
  std::optional<std::vector<std::vector<DeviceDigit>>> cutInto(std::span<const int64_t> sizes) const;

  int64_t count_ = 0;
  std::vector<DeviceDigit> digits_;  // major first; none of size 1; neighbours that make one digit are one
  std::vector<int64_t> listed_;      // where there are no digits
};

// A whole number for each device: a constant and a weight for each digit, or a list.
class DeviceNumbers {
 public:
  struct Term {
    int64_t size, stride, weight;
    friend bool operator==(const Term&, const Term&) = default;
  };
  DeviceNumbers(int64_t devices, std::vector<Term> terms, int64_t constant = 0);
  explicit DeviceNumbers(std::vector<int64_t> listed);

  size_t size() const { return static_cast<size_t>(count_); }
  int64_t operator[](size_t device) const;
  std::vector<int64_t> list() const;
  bool isListed() const { return !listed_.empty(); }
  int64_t constant() const { return constant_; }
  std::span<const Term> terms() const { return terms_; }

  DeviceNumbers times(int64_t factor) const;
  DeviceNumbers plus(const DeviceNumbers& other) const;
  DeviceNumbers plus(int64_t constant) const;
  // Of numbers that go through 0, 1, ..: without what is left over when divided.
  DeviceNumbers dividedBy(int64_t divisor) const;
  // The pairs (a, b) that some device has, in order.
  static std::vector<std::pair<int64_t, int64_t>> pairs(const DeviceNumbers& a, const DeviceNumbers& b);

  friend bool operator==(const DeviceNumbers& a, const DeviceNumbers& b);

 private:
  void normalise();

  int64_t count_ = 0, constant_ = 0;
  std::vector<Term> terms_;  // by stride; no weight 0; neighbours that make one term are one
  std::vector<int64_t> listed_;
};

}  // namespace hilo
