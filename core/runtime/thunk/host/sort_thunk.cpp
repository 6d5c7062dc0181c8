#include <cstring>
#include <numeric>

#include "core/base/check.h"
#include "core/hlo/ir/element_size.h"
#include "core/runtime/thunk/host/key_order.h"
#include "core/runtime/thunk/host/thunk.h"

namespace hilo {
namespace {

// Sorts some lines that lie side by side: what lies a stride apart is read and written in rows, and each line
// is sorted in memory of its own. Orders of elements are found first, then each array is put into them.
class LineSorter {
 public:
  LineSorter(const SortThunk& thunk, const ThunkContext& context)
      : thunk_(thunk), context_(context), arguments_(1 + 2 * thunk.elementBytes.size()) {
    arguments_[0] = &before_;
  }

  // `count` lines from `line` on; they all begin in the same `stride` elements.
  void sort(int64_t line, int64_t count) {
    const int64_t stride = thunk_.stride, outer = line / stride, inner = line % stride;
    first_ = outer * thunk_.length * stride + inner;
    firstKept_ = outer * thunk_.kept * stride + inner;
    count_ = count;
    if (sortsValues()) return sortValues();
    findOrders();
    for (size_t i = 0; i < thunk_.inputs.size(); ++i)
      visitElementSize(thunk_.elementBytes[i], [&]<typename T>() { reorder<T>(i); });
    if (!thunk_.places.empty()) storePlaces();
  }

 private:
  // One array by one key goes along with it.
  bool sortsValues() const {
    if (thunk_.keys.size() != 1 || thunk_.inputs.size() != 1 || !thunk_.places.empty() ||
        thunk_.stride != 1 || thunk_.kept != thunk_.length || thunk_.length > UINT32_MAX)
      return false;
    const int64_t keyBytes = thunk_.keyBytes[0], bytes = thunk_.elementBytes[0];
    if (std::max(keyBytes, bytes) > 4 && keyBytes != bytes) return false;
    return !thunk_.onesAreUnordered || !hasUnordered();
  }
  bool hasUnordered() const {
    bool found = false;
    visitElementSize(thunk_.keyBytes[0], [&]<typename T>() {
      if constexpr (std::is_integral_v<T>) {
        const T* keys = reinterpret_cast<const T*>(context_.at(thunk_.keys[0])) + first_;
        for (int64_t i = 0; i < thunk_.length; ++i) found |= keys[i] == T(~T{0});  // all of them, as vectors
      }
    });
    return found;
  }
  void sortValues() {
    const auto at = [&](const BufferSlice& array, int64_t bytes) {
      return context_.at(array) + first_ * bytes;
    };
    keyOrder_.sortValues(at(thunk_.keys[0], thunk_.keyBytes[0]), thunk_.keyBytes[0],
                         at(thunk_.inputs[0], thunk_.elementBytes[0]), thunk_.elementBytes[0], thunk_.length,
                         at(thunk_.outputs[0], thunk_.elementBytes[0]));
  }

  template <typename T>
  const T* lineOf(const ReadSlice& array, int64_t line, std::vector<std::byte>& room) {
    const T* from = reinterpret_cast<const T*>(context_.at(array)) + first_;
    if (thunk_.stride == 1) return from;
    // All of them with the first.
    room.resize(static_cast<size_t>(count_ * thunk_.length) * sizeof(T));
    T* lines = reinterpret_cast<T*>(room.data());
    for (int64_t i = 0; line == 0 && i < thunk_.length; ++i) {
      for (int64_t l = 0; l < count_; ++l) lines[l * thunk_.length + i] = from[i * thunk_.stride + l];
    }
    return lines + line * thunk_.length;
  }

  void findOrders() {
    orders_.resize(static_cast<size_t>(count_));
    isUnordered_.assign(orders_.size(), thunk_.keys.empty());
    for (size_t key = thunk_.keys.size(); key-- > 0;)
      visitElementSize(thunk_.keyBytes[key], [&]<typename T>() { orderByKey<T>(key); });
    for (size_t line = 0; line < orders_.size(); ++line) {
      if (isUnordered_[line]) orderByComparator(static_cast<int64_t>(line));
    }
  }

  // Of several keys the last comes first, and the others sort what is sorted already.
  template <typename T>
  void orderByKey(size_t key) {
    const bool isFirst = key + 1 == thunk_.keys.size();
    const int64_t kept = thunk_.keys.size() == 1 ? thunk_.kept : thunk_.length;
    for (int64_t line = 0; line < count_; ++line) {
      if constexpr (std::is_integral_v<T>) {
        const T* keys = lineOf<T>(thunk_.keys[key], line, lines_);
        if (thunk_.onesAreUnordered &&
            std::find(keys, keys + thunk_.length, T(~T{0})) != keys + thunk_.length)
          isUnordered_[static_cast<size_t>(line)] = true;
        std::vector<int64_t>& order = orders_[static_cast<size_t>(line)];
        if (isFirst) {
          keyOrder_.find(reinterpret_cast<const std::byte*>(keys), sizeof(T), thunk_.length, kept, order);
          continue;
        }
        sortedKeys_.resize(order.size() * sizeof(T));
        T* sorted = reinterpret_cast<T*>(sortedKeys_.data());
        for (size_t i = 0; i < order.size(); ++i) sorted[i] = keys[order[i]];
        keyOrder_.find(sortedKeys_.data(), sizeof(T), thunk_.length, kept, other_);
        for (int64_t& place : other_) place = order[static_cast<size_t>(place)];
        order.swap(other_);
      }
    }
  }

  // Bottom-up merging, which no comparator can lead astray.
  void orderByComparator(int64_t line) {
    std::vector<int64_t>& order = orders_[static_cast<size_t>(line)];
    order.resize(static_cast<size_t>(thunk_.length));
    std::iota(order.begin(), order.end(), int64_t{0});
    other_.resize(order.size());
    for (int64_t width = 1; width < thunk_.length; width *= 2) {
      for (int64_t start = 0; start < thunk_.length; start += 2 * width) {
        merge(line, order, start, std::min(start + width, thunk_.length),
              std::min(start + 2 * width, thunk_.length));
      }
      order.swap(other_);
    }
  }
  void merge(int64_t line, const std::vector<int64_t>& order, int64_t start, int64_t middle, int64_t end) {
    int64_t left = start, right = middle;
    for (int64_t to = start; to < end; ++to) {
      const bool takeRight =
          left == middle || (right < end && isBefore(line, order[static_cast<size_t>(right)],
                                                     order[static_cast<size_t>(left)]));
      other_[static_cast<size_t>(to)] = order[static_cast<size_t>(takeRight ? right++ : left++)];
    }
  }
  bool isBefore(int64_t line, int64_t a, int64_t b) {
    for (size_t i = 0; i < thunk_.inputs.size(); ++i) {
      std::byte* array = context_.at(thunk_.inputs[i]) + (first_ + line) * thunk_.elementBytes[i];
      const int64_t step = thunk_.stride * thunk_.elementBytes[i];
      arguments_[1 + 2 * i] = array + a * step;
      arguments_[2 + 2 * i] = array + b * step;
    }
    callKernel(context_.kernels[thunk_.comparator[0]], arguments_.data(), 0, 1);
    return before_ != 0;
  }

  template <typename T>
  void reorder(size_t array) {
    for (int64_t line = 0; line < count_; ++line)
      sources_[line] = reinterpret_cast<const std::byte*>(lineOf<T>(thunk_.inputs[array], line, lines_));
    store<T>(thunk_.outputs[array],
             [&](int64_t line, int64_t place) { return reinterpret_cast<const T*>(sources_[line])[place]; });
  }
  void storePlaces() {
    store<int32_t>(thunk_.places[0], [](int64_t, int64_t place) { return static_cast<int32_t>(place); });
  }
  // What is kept of the lines, from element(line, place in it).
  template <typename T, typename Element>
  void store(const WriteSlice& array, const Element& element) {
    T* to = reinterpret_cast<T*>(context_.at(array)) + firstKept_;
    if (count_ == 1) {
      const int64_t* order = orders_[0].data();
      for (int64_t i = 0; i < thunk_.kept; ++i) to[i * thunk_.stride] = element(0, order[i]);
      return;
    }
    for (int64_t i = 0; i < thunk_.kept; ++i) {
      for (int64_t line = 0; line < count_; ++line)
        to[i * thunk_.stride + line] =
            element(line, orders_[static_cast<size_t>(line)][static_cast<size_t>(i)]);
    }
  }

 public:
  static constexpr int64_t kMostLines = 16;  // side by side: a line of the cache, of most types

 private:
  const SortThunk& thunk_;
  const ThunkContext& context_;
  std::vector<void*> arguments_;
  uint8_t before_ = 0;
  int64_t first_ = 0, firstKept_ = 0, count_ = 0;  // of the lines being sorted
  std::vector<std::vector<int64_t>> orders_;       // of each
  std::vector<bool> isUnordered_;
  std::array<const std::byte*, kMostLines> sources_{};
  KeyOrder keyOrder_;
  std::vector<int64_t> other_;
  std::vector<std::byte> lines_, sortedKeys_;
};

}  // namespace

Status execute(const SortThunk& thunk, const ThunkContext& context) {
  constexpr int64_t kElements = 65536;  // side by side
  const int64_t together =
      std::clamp<int64_t>(kElements / thunk.length, 1, std::min(thunk.stride, LineSorter::kMostLines));
  const int64_t grain = std::max<int64_t>(together, 4096 / thunk.length);
  context.threads.parallelFor(thunk.lines, grain, [&](int64_t begin, int64_t end) {
    LineSorter sorter(thunk, context);
    for (int64_t line = begin; line < end && !context.cancel.cancelled();) {
      const int64_t count = std::min({together, end - line, thunk.stride - line % thunk.stride});
      sorter.sort(line, count);
      line += count;
    }
  });
  if (context.cancel.cancelled()) return fail("cancelled", "the run was cancelled");
  return {};
}

}  // namespace hilo
