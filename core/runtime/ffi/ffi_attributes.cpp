#include "core/runtime/ffi/ffi_attributes.h"

#include <cstring>

namespace hilo {
namespace {

using Kind = CallAttribute::Kind;

template <typename T>
void append(std::vector<std::byte>& bytes, T value) {
  const auto* from = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof(T));
}

void appendInteger(std::vector<std::byte>& bytes, int64_t value, int64_t width) {
  if (width == 1) return append(bytes, static_cast<uint8_t>(value));
  if (width == 2) return append(bytes, static_cast<uint16_t>(value));
  if (width == 4) return append(bytes, static_cast<uint32_t>(value));
  append(bytes, value);
}

FfiAttributeKind kindOf(Kind kind) {
  switch (kind) {
    case Kind::Array:
      return FfiAttributeKind::Array;
    case Kind::Dictionary:
      return FfiAttributeKind::Dictionary;
    case Kind::String:
      return FfiAttributeKind::String;
    case Kind::Scalar:
      return FfiAttributeKind::Scalar;
  }
  return FfiAttributeKind::Scalar;
}

}  // namespace

FfiAttributeTree::FfiAttributeTree(std::vector<CallAttribute> attributes)
    : attributes_(std::move(attributes)) {
  top_ = dictionary(attributes_);
}

FfiAttributes FfiAttributeTree::dictionary(const std::vector<CallAttribute>& members) {
  Dictionary& made = dictionaries_.emplace_back();
  made.names.reserve(members.size());
  for (const CallAttribute& member : members) {
    made.kinds.push_back(kindOf(member.kind));
    made.names.push_back({member.name.data(), member.name.size()});
    made.namePointers.push_back(&made.names.back());
    made.values.push_back(value(member));
  }
  FfiAttributes attributes{};
  attributes.structBytes = kFfiAttributesBytes;
  attributes.size = std::ssize(members);
  attributes.kinds = made.kinds.data();
  attributes.names = made.namePointers.data();
  attributes.values = made.values.data();
  return attributes;
}

void* FfiAttributeTree::value(const CallAttribute& attribute) {
  const int32_t type = elementTypeNumber(attribute.type);
  switch (attribute.kind) {
    case Kind::String:
      return &strings_.emplace_back(FfiByteSpan{attribute.text.data(), attribute.text.size()});
    case Kind::Dictionary:
      return &inner_.emplace_back(dictionary(attribute.members));
    case Kind::Array:
      return &arrays_.emplace_back(
          FfiArray{type, attribute.integers.size() + attribute.floats.size(), bytesOf(attribute)});
    case Kind::Scalar:
      return &scalars_.emplace_back(FfiScalar{type, bytesOf(attribute)});
  }
  return nullptr;
}

void* FfiAttributeTree::bytesOf(const CallAttribute& attribute) {
  std::vector<std::byte>& bytes = bytes_.emplace_back();
  for (const int64_t integer : attribute.integers)
    appendInteger(bytes, integer, elementStorageBytes(attribute.type));
  for (const double real : attribute.floats) {
    if (attribute.type == ElementType::F32) append(bytes, static_cast<float>(real));
    if (attribute.type == ElementType::F64) append(bytes, real);
  }
  return bytes.data();
}

}  // namespace hilo
