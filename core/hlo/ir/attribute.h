// Everything an instruction, computation or module header carries beyond its name, shape and operands: a
// short list of typed attributes, kept in print order. Which exist, how each is written and its C++ type
// stand in attributes.def; which opcode has which stand in ops.def. Text, proto, verifier, evaluator and
// views all read the same list, so a new attribute is one line there.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/hlo/ir/payloads.h"
#include "core/hlo/ir/replica_groups.h"
#include "core/hlo/ir/sharding.h"

namespace hilo {

class Computation;
class Instruction;
class Literal;

// domain={kind="sharding", entry=..., exit=...}
struct Domain {
  std::string_view kind;
  Sharding entry;
  Sharding exit;
};
Domain copyInto(Arena& arena, const Domain& value);

// How an attribute is written and stored. The C++ type follows from the kind, but for Enum.
enum class AttrKind : uint8_t {
  Bool,
  Int64,
  Float,
  Enum,
  String,
  RawConfig,
  RawBlock,
  Int64List,
  Int64ListList,
  BoolList,
  PrecisionList,
  Computation,
  ComputationList,
  InstructionList,
  Shape,
  ShapeList,
  Literal,
  Window,
  ConvolutionDimensionNumbers,
  Padding,
  SliceRanges,
  Sharding,
  FrontendAttributes,
  Metadata,
  StatisticsViz,
  ReplicaGroups,
  Aliasing,
  InstructionAliasing,
  BufferDonorList,
  CrossProgramPrefetchList,
  ProgramShape,
  Domain,
  OriginalValue,
  ResultAccuracy,
  SparsityConfig,
  Opaque,
};

enum class Attr : uint8_t {
#define ATTRIBUTE(name, ...) name,
#include "core/hlo/ir/attributes.def"
};
inline constexpr int kAttrCount = 0
#define ATTRIBUTE(...) +1
#include "core/hlo/ir/attributes.def"
    ;

AttrKind attrKind(Attr attr);
// XLA's text name ("dimensions"); not unique: slice_sizes and algorithm mean different kinds
// for different opcodes.
std::string_view attrName(Attr attr);

template <Attr A>
struct AttrTraits;
#define ATTRIBUTE(name, text, kind, type)             \
  template <>                                         \
  struct AttrTraits<Attr::name> {                     \
    using Type = type;                                \
    static constexpr AttrKind kKind = AttrKind::kind; \
  };
#include "core/hlo/ir/attributes.def"

// One attribute: 16 bytes. Scalars and enums live in `integer` or `real`, lists are pointer and count,
// payloads a pointer, strings pointer and length.
struct Attribute {
  Attr key;
  uint32_t count = 0;
  union {
    int64_t integer = 0;
    double real;
    const void* pointer;
  };
};

namespace attr_detail {
template <typename T>
struct IsSpan : std::false_type {};
template <typename T>
struct IsSpan<std::span<const T>> : std::true_type {};
template <typename T>
struct IsSpan<std::span<T* const>> : std::true_type {};

// What get() gives: optional for scalars; views, spans, Shape and pointers are empty or null when absent.
template <typename T>
using ResultOf = std::conditional_t<std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, Shape>,
                                    std::optional<T>, T>;

template <typename T>
T unpack(const Attribute& a) {
  if constexpr (std::is_same_v<T, bool>) {
    return a.integer != 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(a.real);
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return static_cast<T>(a.integer);
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    return {static_cast<const char*>(a.pointer), a.count};
  } else if constexpr (std::is_same_v<T, Shape>) {
    return *static_cast<const Shape*>(a.pointer);
  } else if constexpr (IsSpan<T>::value) {
    return {static_cast<typename T::pointer>(const_cast<void*>(a.pointer)), a.count};
  } else {
    return static_cast<T>(const_cast<void*>(a.pointer));
  }
}
}  // namespace attr_detail

// The list itself: print order, arena storage, trivially destructible. Lookups are linear; lists are short.
class AttributeList {
 public:
  std::span<const Attribute> all() const { return {data_, count_}; }
  bool has(Attr attr) const { return find(attr) != nullptr; }
  const Attribute* find(Attr attr) const {
    for (const Attribute& a : all()) {
      if (a.key == attr) return &a;
    }
    return nullptr;
  }
  template <Attr A>
  attr_detail::ResultOf<typename AttrTraits<A>::Type> get() const {
    const Attribute* a = find(A);
    if (a == nullptr) return {};
    return attr_detail::unpack<typename AttrTraits<A>::Type>(*a);
  }

  // Appends in reading order; the value's payload must already live in the module's storage.
  void append(Arena& arena, Attribute attribute);
  // Replaces the attribute, or inserts it before the first one that rank() orders after it.
  void put(Arena& arena, Attribute attribute, int (*rank)(const void* context, Attr), const void* context);
  void erase(Attr attr);
  // Forgets all (their storage stays until the module goes).
  void clear() { count_ = 0; }
  // For remapping pointers when a module is cloned.
  std::span<Attribute> mutableAll() { return {data_, count_}; }
  void reserve(Arena& arena, uint32_t capacity);

 private:
  static void tellControlPredecessors(const Attribute& attribute);

  Attribute* data_ = nullptr;
  uint32_t count_ = 0;
  uint32_t capacity_ = 0;
};

// Packs a value into an Attribute; payloads, lists and strings are copied into the arena.
template <Attr A>
Attribute packAttribute(Arena& arena, const typename AttrTraits<A>::Type& value) {
  using T = typename AttrTraits<A>::Type;
  Attribute a{.key = A};
  if constexpr (std::is_floating_point_v<T>) {
    a.real = value;
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    a.integer = static_cast<int64_t>(value);
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    const std::string_view text = arena.copy(value);
    a.pointer = text.data();
    a.count = static_cast<uint32_t>(text.size());
  } else if constexpr (std::is_same_v<T, Shape>) {
    a.pointer = arena.create<Shape>(value);
  } else if constexpr (attr_detail::IsSpan<T>::value) {
    std::span<const typename T::value_type> copied;
    if constexpr (std::is_trivially_copyable_v<typename T::value_type> &&
                  std::is_arithmetic_v<typename T::value_type>) {
      copied = arena.copy(std::span<const typename T::value_type>(value));
    } else {
      copied = copyListInto(arena, std::span<const typename T::value_type>(value));
    }
    a.pointer = copied.data();
    a.count = static_cast<uint32_t>(copied.size());
  } else if constexpr (std::is_same_v<T, Computation*> || std::is_same_v<T, const Literal*>) {
    a.pointer = value;
  } else {
    using Payload = std::remove_const_t<std::remove_pointer_t<T>>;
    a.pointer = arena.create<Payload>(copyInto(arena, *value));
  }
  return a;
}

}  // namespace hilo
