#include "core/runtime/thunk/host/key_order.h"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/base/check.h"

namespace hilo {
namespace {

// A key in the upper half and its place in the lower: no two are equal, and their order is the stable one.
template <typename Packed>
constexpr int kHalfBits = static_cast<int>(sizeof(Packed) * 4);

template <typename Packed>
constexpr Packed kLargest = ~Packed{0};

template <typename Key>
constexpr int kBitsOf = static_cast<int>(8 * sizeof(Key));

template <typename Packed>
Packed packed(Packed key, uint64_t low) {
  return static_cast<Packed>(key << kHalfBits<Packed> | static_cast<Packed>(low));
}

// By the digits of the `kKeyBits` bits from `kBegin` on, the lowest first, from `items` to `room` and back; a
// digit that is the same in all is passed over. Gives where the sorted items are.
template <int kBits, int kBegin, int kKeyBits, typename Packed>
Packed* sortByDigits(Packed* items, Packed* room, int64_t count) {
  constexpr size_t kValues = size_t{1} << kBits;
  const auto digitOf = [](Packed item, int shift) { return static_cast<size_t>(item >> shift) % kValues; };
  using Count = std::conditional_t<sizeof(Packed) == 16, int64_t, uint32_t>;
  std::array<std::array<Count, kValues>, (kKeyBits + kBits - 1) / kBits> counts{};
  for (int64_t i = 0; i < count; ++i) {
    const Packed item = items[i];
    for (size_t digit = 0; digit < counts.size(); ++digit)
      ++counts[digit][digitOf(item, kBegin + kBits * static_cast<int>(digit))];
  }
  for (size_t digit = 0; digit < counts.size(); ++digit) {
    const int shift = kBegin + kBits * static_cast<int>(digit);
    auto& places = counts[digit];
    if (static_cast<int64_t>(places[digitOf(items[0], shift)]) == count) continue;
    Count before = 0;
    for (Count& place : places) before += std::exchange(place, before);
    for (int64_t i = 0; i < count; ++i) {
      const Packed item = items[i];
      room[places[digitOf(item, shift)]++] = item;
    }
    std::swap(items, room);
  }
  return items;
}

// By the keys from bit `kBegin` on alone. Few are sorted quicker by inserting than by counting, and many
// by larger digits.
template <int kBegin, int kKeyBits, typename Packed>
Packed* sortStably(Packed* items, Packed* room, int64_t count) {
  constexpr int64_t kFew = 32, kMany = 2048;
  if (count > kMany && kKeyBits > 16) return sortByDigits<11, kBegin, kKeyBits>(items, room, count);
  if (count > kFew) return sortByDigits<8, kBegin, kKeyBits>(items, room, count);
  for (int64_t i = 1; i < count; ++i) {
    const Packed item = items[i];
    int64_t to = i;
    for (; to > 0 && items[to - 1] >> kBegin > item >> kBegin; --to) items[to] = items[to - 1];
    items[to] = item;
  }
  return items;
}

constexpr int64_t kBlock = 64;  // keys looked at together
constexpr int64_t roomToSelect(int64_t kept) { return 2 * kept + 4 * kBlock; }

// Puts the `kept` smallest at the front of `items`, in no order. What is not below the last of those found so
// far is left out; blocks without any are most, and one comparison each.
template <typename Packed, typename Key>
void select(const Key* keys, int64_t length, int64_t kept, Packed* items) {
  int64_t count = 0;
  Packed limit = kLargest<Packed>;
  const auto choose = [&] {
    std::nth_element(items, items + kept - 1, items + count);
    count = kept;
    limit = items[kept - 1];
  };
  for (int64_t start = 0; start < length; start += kBlock) {
    const int64_t end = std::min(start + kBlock, length);
    Key least = keys[start];
    for (int64_t i = start; i < end; ++i) least = std::min(least, keys[i]);
    if (packed<Packed>(least, static_cast<uint64_t>(start)) >= limit) continue;
    for (int64_t i = start; i < end; ++i) {
      items[count] = packed<Packed>(keys[i], static_cast<uint64_t>(i));
      count += items[count] < limit ? 1 : 0;
    }
    if (count > roomToSelect(kept) - kBlock) choose();
  }
  if (count > kept) choose();
}

}  // namespace

std::byte* KeyOrder::room(size_t bytes) {
  if (bytes > roomBytes_) {
    room_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    roomBytes_ = bytes;
  }
  return room_.get();
}

template <typename Packed, typename Key>
void KeyOrder::findPacked(const Key* keys, int64_t length, int64_t kept, std::vector<int64_t>& order) {
  constexpr int64_t kWorthSelecting = 4;
  const bool selects = length / kWorthSelecting > kept;
  const int64_t count = selects ? roomToSelect(kept) : length;
  auto* items = reinterpret_cast<Packed*>(room(static_cast<size_t>(2 * count) * sizeof(Packed)));
  const Packed* sorted = items;
  if (selects) {
    select(keys, length, kept, items);
    std::sort(items, items + kept);
  } else {
    for (int64_t i = 0; i < length; ++i) items[i] = packed<Packed>(keys[i], static_cast<uint64_t>(i));
    sorted = sortStably<kHalfBits<Packed>, kBitsOf<Key>>(items, items + length, length);
  }
  constexpr Packed kOnes = kLargest<Packed>, kPlace = kOnes >> kHalfBits<Packed>;
  order.resize(static_cast<size_t>(kept));
  for (int64_t i = 0; i < kept; ++i) order[static_cast<size_t>(i)] = static_cast<int64_t>(sorted[i] & kPlace);
}

// Packed as narrow as key and place allow. The last place a half can hold is left free, so that nothing is as
// large as the largest number.
template <typename Key>
void KeyOrder::findOf(const Key* keys, int64_t length, int64_t kept, std::vector<int64_t>& order) {
  if (kept == 0) return order.clear();
  const auto fits = [&](int64_t largest) { return length <= largest; };
  if constexpr (sizeof(Key) <= 2) {
    if (fits(UINT16_MAX)) return findPacked<uint32_t>(keys, length, kept, order);
  }
  if constexpr (sizeof(Key) <= 4) {
    if (fits(UINT32_MAX)) return findPacked<uint64_t>(keys, length, kept, order);
  }
  findPacked<unsigned __int128>(keys, length, kept, order);
}

namespace {

// What keys are changed by to become their values: bits that the uppermost bit of the key decides.
template <typename Key>
struct Flips {
  Key low = 0, high = 0;
  static Key isHigh(Key key) { return static_cast<Key>(-(key >> (kBitsOf<Key> - 1))); }  // all ones, or 0
  Key valueOf(Key key) const { return key ^ low ^ ((low ^ high) & isHigh(key)); }
};

// None where values are something else, as of floats where zeros of both signs, which have one key,
// are among them.
template <typename Key>
std::optional<Flips<Key>> flipsOf(const Key* keys, const Key* values, int64_t length) {
  Flips<Key> some, all{kLargest<Key>, kLargest<Key>};
  for (int64_t i = 0; i < length; ++i) {
    const Key flip = keys[i] ^ values[i], isHigh = Flips<Key>::isHigh(keys[i]);
    some.low |= flip & ~isHigh;
    some.high |= flip & isHigh;
    all.low &= flip | isHigh;
    all.high &= flip | ~isHigh;
  }
  if (((some.low & ~all.low) | (some.high & ~all.high)) != 0) return std::nullopt;
  return some;
}

}  // namespace

// Keys alone where values follow from them. Else packed as keys with their places are; what is sorted by
// digits stays in order where keys are equal.
template <typename Key, typename Value>
void KeyOrder::sortValuesOf(const Key* keys, const Value* values, int64_t length, Value* out) {
  using Packed = std::conditional_t<sizeof(Key) <= 2 && sizeof(Value) <= 2, uint32_t,
                                    std::conditional_t<sizeof(Key) <= 4, uint64_t, unsigned __int128>>;
  const auto twice = static_cast<size_t>(2 * length);
  if constexpr (std::is_same_v<Key, Value>) {
    if (const auto flips = flipsOf(keys, values, length)) {
      Key* items = reinterpret_cast<Key*>(room(twice * sizeof(Key)));
      std::copy_n(keys, length, items);
      const Key* sorted = sortStably<0, kBitsOf<Key>>(items, items + length, length);
      for (int64_t i = 0; i < length; ++i) out[i] = flips->valueOf(sorted[i]);
      return;
    }
  }
  auto* items = reinterpret_cast<Packed*>(room(twice * sizeof(Packed)));
  for (int64_t i = 0; i < length; ++i) items[i] = packed<Packed>(keys[i], values[i]);
  const Packed* sorted = sortStably<kHalfBits<Packed>, kBitsOf<Key>>(items, items + length, length);
  for (int64_t i = 0; i < length; ++i) out[i] = static_cast<Value>(sorted[i]);
}

void KeyOrder::sortValues(const std::byte* keys, int64_t keyBytes, const std::byte* values,
                          int64_t valueBytes, int64_t length, std::byte* out) {
  const auto withBytes = [](int64_t bytes, const auto& use) {
    switch (bytes) {
      case 1:
        return use(uint8_t());
      case 2:
        return use(uint16_t());
      case 4:
        return use(uint32_t());
      case 8:
        return use(uint64_t());
      default:
        checkFailed(__FILE__, __LINE__, "bytes of a key or value", {});
    }
  };
  withBytes(keyBytes, [&]<typename Key>(Key) {
    withBytes(valueBytes, [&]<typename Value>(Value) {
      CHECK(std::max(keyBytes, valueBytes) <= 4 || keyBytes == valueBytes);
      if constexpr (std::max(sizeof(Key), sizeof(Value)) <= 4 || sizeof(Key) == sizeof(Value))
        sortValuesOf(reinterpret_cast<const Key*>(keys), reinterpret_cast<const Value*>(values), length,
                     reinterpret_cast<Value*>(out));
    });
  });
}

void KeyOrder::find(const std::byte* keys, int64_t keyBytes, int64_t length, int64_t kept,
                    std::vector<int64_t>& order) {
  const auto findAs = [&]<typename Key>() {
    findOf(reinterpret_cast<const Key*>(keys), length, kept, order);
  };
  switch (keyBytes) {
    case 1:
      return findAs.template operator()<uint8_t>();
    case 2:
      return findAs.template operator()<uint16_t>();
    case 4:
      return findAs.template operator()<uint32_t>();
    case 8:
      return findAs.template operator()<uint64_t>();
    default:
      checkFailed(__FILE__, __LINE__, "bytes of a key", {});
  }
}

}  // namespace hilo
