// Plain data as bytes, by the fields that its visit() lists: what program files and the messages of a worker
// are made of. Numbers as they lie in memory, lists and texts after their length.
//
// A reader trusts nothing: it reads nothing outside its bytes, allocates no more than a small multiple of
// their size, and is not ok() from the first thing on that does not fit.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "core/hlo/ir/host_feed.h"
#include "core/runtime/program/fields.h"
#include "core/runtime/program/literal_buffers.h"
#include "core/runtime/program/program.h"

namespace hilo {

class FieldWriter {
 public:
  std::vector<std::byte> bytes;

  void raw(const void* data, size_t count) {
    const auto* from = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), from, from + count);
  }
  template <PlainField T>
  void operator()(const char*, T value) {
    raw(&value, sizeof(T));
  }
  void operator()(const char*, const std::string& text) {
    (*this)("", static_cast<uint64_t>(text.size()));
    raw(text.data(), text.size());
  }
  void operator()(const char*, const std::vector<std::byte>& blob) {
    (*this)("", static_cast<uint64_t>(blob.size()));
    raw(blob.data(), blob.size());
  }
  template <typename T>
  void operator()(const char*, const std::vector<T>& items) {
    (*this)("", static_cast<uint64_t>(items.size()));
    for (const T& item : items) (*this)("", item);
  }
  void operator()(const char*, const Shape& shape) {
    (*this)("", shape.elementType());
    if (shape.isTuple()) {
      (*this)("", std::vector<Shape>(shape.tupleShapes().begin(), shape.tupleShapes().end()));
    } else if (shape.isArray()) {
      (*this)("", std::vector<int64_t>(shape.dimensions().begin(), shape.dimensions().end()));
      (*this)("", shape.isDynamic());
      for (size_t d = 0; shape.isDynamic() && d < shape.rank(); ++d) (*this)("", shape.isDynamicDimension(d));
      const Layout* layout = shape.layout();
      (*this)("", layout != nullptr);
      if (layout != nullptr) (*this)("", layout->minorToMajor);
    }
  }
  void operator()(const char*, const Thunk& thunk) {
    (*this)("", thunk.name);
    (*this)("", thunk.instruction);
    (*this)("", thunk.costNs);
    (*this)("", thunk.kind());
    std::visit([&](const auto& body) { (*this)("", body); }, thunk.body);
  }
  void operator()(const char*, const std::monostate&) {}
  void operator()(const char*, const LibraryCall& call) {
    (*this)("", static_cast<uint8_t>(call.index()));
    std::visit([&](const auto& one) { (*this)("", one); }, call);
  }
  void operator()(const char*, const Diagnostic& diagnostic) {
    (*this)("", diagnostic.severity);
    (*this)("", diagnostic.kind);
    (*this)("", diagnostic.message);
    (*this)("", diagnostic.place.file);
    (*this)("", diagnostic.place.line);
    (*this)("", diagnostic.place.instruction);
    (*this)("", diagnostic.notes);
  }
  // An array or a tuple, with its bytes and the real sizes of its arrays.
  void operator()(const char*, const Literal& literal) {
    (*this)("", literal.shape());
    for (const Literal* array : arrayLeaves(std::span(&literal, 1))) {
      (*this)("", static_cast<uint64_t>(array->bytes().size()));
      raw(array->bytes().data(), array->bytes().size());
      (*this)("", std::vector<int64_t>(array->dynamicSizes().begin(), array->dynamicSizes().end()));
    }
  }
  void operator()(const char*, const InfeedValues& infeed) {
    (*this)("", infeed.values);
    (*this)("", infeed.repeats);
  }
  template <FieldsOf<FieldWriter> T>
  void operator()(const char*, const T& value) {
    T::visit(value, *this);
  }
};

class FieldReader {
 public:
  explicit FieldReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  bool ok() const { return ok_; }
  bool atEnd() const { return rest_.empty(); }

  void raw(void* data, size_t count) {
    if (count > rest_.size()) {
      ok_ = false;
      return;
    }
    if (count != 0) std::memcpy(data, rest_.data(), count);
    rest_ = rest_.subspan(count);
  }
  void operator()(const char*, bool& value) {
    uint8_t byte = 0;
    raw(&byte, 1);
    value = byte != 0;
  }
  template <NumberField T>
  void operator()(const char*, T& value) {
    raw(&value, sizeof(T));
  }
  void operator()(const char*, ElementType& value) { enumerator(value, kElementTypeCount); }
  void operator()(const char*, ThunkKind& value) { enumerator(value, kThunkKindCount); }
  void operator()(const char*, AllocationKind& value) { enumerator(value, kAllocationKindCount); }
  void operator()(const char*, CollectiveKind& value) { enumerator(value, kCollectiveKindCount); }
  void operator()(const char*, ReductionKind& value) { enumerator(value, kReductionKindCount); }
  void operator()(const char*, CollectivePhase& value) { enumerator(value, kCollectivePhaseCount); }
  void operator()(const char*, DeviceGroupMode& value) { enumerator(value, kDeviceGroupModeCount); }
  void operator()(const char*, Activation& value) { enumerator(value, kActivationCount); }
  void operator()(const char*, ConvolutionKind& value) { numbered(value); }
  void operator()(const char*, FftType& value) { numbered(value); }
  void operator()(const char*, TransposeA& value) { numbered(value); }
  void operator()(const char*, LibraryCall& call) {
    uint8_t kind = 0;
    (*this)("", kind);
    if (!emplaceCall(call, kind, std::make_index_sequence<kLibraryCallCount>())) ok_ = false;
    std::visit([&](auto& one) { (*this)("", one); }, call);
  }
  void operator()(const char*, std::string& text) {
    text.resize(count(1));
    raw(text.data(), text.size());
  }
  void operator()(const char*, std::vector<std::byte>& blob) {
    blob.resize(count(1));
    raw(blob.data(), blob.size());
  }
  template <typename T>
  void operator()(const char*, std::vector<T>& items) {
    // Every item takes a byte of the file at least, so the list grows no faster than the file.
    const uint64_t n = count(1);
    for (uint64_t i = 0; i < n && ok_; ++i) (*this)("", items.emplace_back());
  }
  void operator()(const char*, Shape& shape) { shape = readShape(0); }
  void operator()(const char*, Thunk& thunk) {
    (*this)("", thunk.name);
    (*this)("", thunk.instruction);
    (*this)("", thunk.costNs);
    ThunkKind kind{};
    (*this)("", kind);
    switch (kind) {
#define THUNK(name, ...)                                          \
  case ThunkKind::name:                                           \
    name##Thunk::visit(thunk.body.emplace<name##Thunk>(), *this); \
    break;
      HILO_THUNKS(THUNK)
#undef THUNK
    }
  }
  void operator()(const char*, Severity& value) { enumerator(value, static_cast<int>(Severity::kError) + 1); }
  void operator()(const char*, Diagnostic& diagnostic) {
    (*this)("", diagnostic.severity);
    (*this)("", diagnostic.kind);
    (*this)("", diagnostic.message);
    (*this)("", diagnostic.place.file);
    (*this)("", diagnostic.place.line);
    (*this)("", diagnostic.place.instruction);
    (*this)("", diagnostic.notes);
  }
  void operator()(const char*, Literal& literal) {
    // No more memory than there are bytes to fill it.
    auto made = Literal::tryMake(readShape(0), static_cast<int64_t>(rest_.size()));
    ok_ &= made.has_value();
    if (!ok_) return;
    literal = *std::move(made);
    for (Literal* array : mutableArrayLeaves(literal)) readArray(*array);
  }
  void operator()(const char*, InfeedValues& infeed) {
    (*this)("", infeed.values);
    (*this)("", infeed.repeats);
  }
  template <FieldsOf<FieldReader> T>
  void operator()(const char*, T& value) {
    T::visit(value, *this);
  }

 private:
  static constexpr int kMaxShapeDepth = 64;

  template <size_t... kIndices>
  static bool emplaceCall(LibraryCall& call, uint8_t kind, std::index_sequence<kIndices...>) {
    return ((kind == kIndices && (call.emplace<kIndices>(), true)) || ...);
  }
  // Of enums.def, by their numbers there.
  template <typename T>
  void numbered(T& value) {
    int64_t number = 0;
    raw(&number, sizeof(number));
    const auto known = enumFromNumber<T>(number);
    ok_ &= known.has_value();
    value = known.value_or(T{});
  }
  template <typename T>
  void enumerator(T& value, int limit) {
    uint8_t number = 0;
    raw(&number, 1);
    if (number >= limit) {
      ok_ = false;
      number = 0;
    }
    value = static_cast<T>(number);
  }
  uint64_t count(uint64_t itemBytes) {
    uint64_t n = 0;
    raw(&n, sizeof(n));
    if (n > rest_.size() / itemBytes) ok_ = false;
    return ok_ ? n : 0;
  }
  void readArray(Literal& array) {
    const std::span<std::byte> bytes = array.mutableBytes();
    ok_ &= count(1) == bytes.size();
    if (!ok_) return;
    raw(bytes.data(), bytes.size());
    std::vector<int64_t> sizes;
    (*this)("", sizes);
    ok_ &= sizes.empty() ||
           std::ranges::equal(sizes, array.shape().dimensions(),
                              [](int64_t size, int64_t most) { return size >= 0 && size <= most; });
    if (ok_) array.setDynamicSizes(std::move(sizes));
  }
  Shape readShape(int depth) {
    ElementType type{};
    (*this)("", type);
    if (!ok_ || depth > kMaxShapeDepth) {
      ok_ = false;
      return {};
    }
    if (type == ElementType::Tuple) {
      std::vector<Shape> elements;
      for (uint64_t n = count(1); n > 0 && ok_; --n) elements.push_back(readShape(depth + 1));
      return ok_ ? Shape::tuple(elements) : Shape();
    }
    if (type == ElementType::Token) return Shape::token();
    if (!isArrayElement(type)) {
      ok_ = false;
      return {};
    }
    std::vector<int64_t> dimensions;
    (*this)("", dimensions);
    bool isDynamic = false;
    (*this)("", isDynamic);
    std::unique_ptr<bool[]> dynamic(new bool[dimensions.size()]());
    for (size_t d = 0; isDynamic && ok_ && d < dimensions.size(); ++d) (*this)("", dynamic[d]);
    bool hasLayout = false;
    (*this)("", hasLayout);
    Layout layout;
    if (hasLayout) (*this)("", layout.minorToMajor);
    std::vector<int64_t> sorted = layout.minorToMajor;
    std::ranges::sort(sorted);
    for (size_t i = 0; i < sorted.size(); ++i) ok_ &= sorted[i] == static_cast<int64_t>(i);
    ok_ &= !hasLayout || sorted.size() == dimensions.size();
    ok_ &= std::ranges::all_of(dimensions, [](int64_t size) { return size >= 0; });
    if (!ok_) return {};
    return Shape::dynamicArray(type, dimensions, {dynamic.get(), isDynamic ? dimensions.size() : 0},
                               hasLayout ? &layout : nullptr);
  }

  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace hilo
