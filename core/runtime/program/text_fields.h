// Fields of a thunk as text. Private to the room.
#pragma once

#include <fmt/format.h>

#include "core/runtime/program/fields.h"
#include "core/runtime/program/program.h"

namespace hilo {

inline std::string sliceText(const BufferSlice& slice) {
  return fmt::format("{}[{}:{}]", slice.allocation, slice.offsetBytes, slice.endBytes());
}

// "kernel=3, iterations=64, arguments={r0[0:256]}": fields of a thunk as name=value.
struct TextFields {
  std::string out;

  template <typename T>
  void operator()(const char* name, const T& value) {
    if (!out.empty()) out += ", ";
    out += name;
    out += '=';
    append(value);
  }
  void append(const ReadSlice& slice) { out += "r" + sliceText(slice); }
  void append(const WriteSlice& slice) { out += "w" + sliceText(slice); }
  template <ProgramTable kTable>
  void append(TablePlace<kTable> place) {
    append(place.number);
  }
  void append(ElementType type) { out += elementTypeName(type); }
  void append(CollectivePhase phase) { out += collectivePhaseName(phase); }
  void append(CollectiveKind kind) { out += collectiveKindName(kind); }
  void append(ReductionKind kind) { out += reductionKindName(kind); }
  void append(DeviceGroupMode mode) { out += deviceGroupModeName(mode); }
  void append(ConvolutionKind kind) { out += enumText(kind); }
  void append(FftType kind) { out += enumText(kind); }
  void append(TransposeA transpose) { out += enumText(transpose); }
  void append(Activation activation) { out += activationName(activation); }
  void append(const LibraryCall& call) {
    out += fmt::format("{}, a {}, ", libraryOf(call.index()), libraryCallName(call.index()));
    std::visit([&](const auto& one) { append(one); }, call);
  }
  void append(Shape shape) { out += toString(shape); }
  void append(const std::string& text) { out += text; }
  template <FieldsOf<TextFields> T>
  void append(const T& value) {
    TextFields fields;
    T::visit(value, fields);
    out += "{" + fields.out + "}";
  }
  template <NumberField T>
  void append(T value) {
    out += fmt::format("{}", value);
  }
  template <typename T>
  void append(const std::vector<T>& items) {
    out += '{';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += ", ";
      append(items[i]);
    }
    out += '}';
  }
};

}  // namespace hilo
