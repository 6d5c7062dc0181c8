#include <cstring>
#include <numeric>

#include "core/runtime/thunk/thunk.h"

namespace hilo {
namespace {

// Sorts one line: an order of its elements is found first, by a stable merge sort that no comparator can lead
// astray, then each array is put into that order.
class LineSorter {
 public:
  LineSorter(const SortThunk& thunk, const ThunkContext& context)
      : thunk_(thunk),
        compare_(context.kernels[thunk.comparator]),
        arguments_(1 + 2 * thunk.elementBytes.size()) {
    arguments_[0] = &before_;
    for (size_t i = 0; i < thunk.inputs.size(); ++i) {
      inputs_.push_back(context.at(thunk.inputs[i]));
      outputs_.push_back(context.at(thunk.outputs[i]));
    }
  }

  void sort(int64_t line) {
    first_ = line / thunk_.stride * thunk_.length * thunk_.stride + line % thunk_.stride;
    order_.resize(static_cast<size_t>(thunk_.length));
    std::iota(order_.begin(), order_.end(), int64_t{0});
    other_.resize(order_.size());
    for (int64_t width = 1; width < thunk_.length; width *= 2) {
      for (int64_t start = 0; start < thunk_.length; start += 2 * width)
        merge(start, std::min(start + width, thunk_.length), std::min(start + 2 * width, thunk_.length));
      order_.swap(other_);
    }
    for (size_t array = 0; array < inputs_.size(); ++array) reorder(array);
  }

 private:
  const std::byte* element(size_t array, int64_t place) const {
    return inputs_[array] + (first_ + place * thunk_.stride) * thunk_.elementBytes[array];
  }
  bool isBefore(int64_t a, int64_t b) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      arguments_[1 + 2 * i] = const_cast<std::byte*>(element(i, a));
      arguments_[2 + 2 * i] = const_cast<std::byte*>(element(i, b));
    }
    callKernel(compare_, arguments_.data(), 0, 1);
    return before_ != 0;
  }
  void merge(int64_t start, int64_t middle, int64_t end) {
    int64_t left = start, right = middle;
    for (int64_t to = start; to < end; ++to) {
      const bool takeRight = left == middle || (right < end && isBefore(order_[static_cast<size_t>(right)],
                                                                        order_[static_cast<size_t>(left)]));
      other_[static_cast<size_t>(to)] = order_[static_cast<size_t>(takeRight ? right++ : left++)];
    }
  }
  // By a copy of the line, so that an array may be sorted where it lies.
  void reorder(size_t array) {
    const auto bytes = static_cast<size_t>(thunk_.elementBytes[array]);
    line_.resize(order_.size() * bytes);
    for (size_t i = 0; i < order_.size(); ++i)
      std::memcpy(line_.data() + i * bytes, element(array, order_[i]), bytes);
    for (size_t i = 0; i < order_.size(); ++i) {
      std::memcpy(
          outputs_[array] + (first_ + static_cast<int64_t>(i) * thunk_.stride) * thunk_.elementBytes[array],
          line_.data() + i * bytes, bytes);
    }
  }

  const SortThunk& thunk_;
  KernelFunction compare_;
  std::vector<void*> arguments_;
  uint8_t before_ = 0;
  std::vector<const std::byte*> inputs_;
  std::vector<std::byte*> outputs_;
  std::vector<int64_t> order_, other_;
  std::vector<std::byte> line_;
  int64_t first_ = 0;
};

}  // namespace

Status execute(const SortThunk& thunk, const ThunkContext& context) {
  const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, thunk.length));
  context.threads.parallelFor(thunk.lines, grain, [&](int64_t begin, int64_t end) {
    LineSorter sorter(thunk, context);
    for (int64_t line = begin; line < end && !context.cancel.cancelled(); ++line) sorter.sort(line);
  });
  if (context.cancel.cancelled()) return fail("cancelled", "the run was cancelled");
  return {};
}

}  // namespace hilo
