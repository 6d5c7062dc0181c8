#include "core/hlo/proto/literal_proto.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstring>

#include "core/hlo/proto/shape_proto.h"

namespace hilo {
namespace {

using google::protobuf::FieldDescriptor;

std::unexpected<Diagnostic> badLiteral(std::string message) {
  return fail("bad-literal", std::move(message));
}

// The field of an element type: its name with an s ("f8e4m3fns").
const FieldDescriptor* fieldOf(ElementType type) {
  static const auto fields = [] {
    std::array<const FieldDescriptor*, kElementTypeCount> table = {};
    for (int i = 0; i < kElementTypeCount; ++i) {
      const std::string name = std::string(elementTypeName(static_cast<ElementType>(i))) + "s";
      table[i] = pb::LiteralProto::descriptor()->FindFieldByName(name);
    }
    return table;
  }();
  return fields[static_cast<size_t>(type)];
}

bool isBytesField(ElementType type) {
  return fieldOf(type) != nullptr && fieldOf(type)->type() == FieldDescriptor::TYPE_BYTES;
}

template <typename Field>
std::string_view rawBytes(const Field& field) {
  return {reinterpret_cast<const char*>(field.data()), field.size() * sizeof(*field.data())};
}

// The elements as the proto holds them.
std::string_view elementBytes(const pb::LiteralProto& proto, ElementType type) {
  if (isBytesField(type)) {
    // Never filled: a bytes field of the generated class is a string already.
    std::string unused;
    return proto.GetReflection()->GetStringReference(proto, fieldOf(type), &unused);
  }
  switch (type) {
    case ElementType::Pred:
      return rawBytes(proto.preds());
    case ElementType::S32:
      return rawBytes(proto.s32s());
    case ElementType::S64:
      return rawBytes(proto.s64s());
    case ElementType::U32:
      return rawBytes(proto.u32s());
    case ElementType::U64:
      return rawBytes(proto.u64s());
    case ElementType::F32:
      return rawBytes(proto.f32s());
    case ElementType::F64:
      return rawBytes(proto.f64s());
    case ElementType::C64:
      return rawBytes(proto.c64s());
    case ElementType::C128:
      return rawBytes(proto.c128s());
    default:
      return {};
  }
}

template <typename T>
void assign(google::protobuf::RepeatedField<T>& field, std::string_view bytes) {
  field.Resize(static_cast<int>(bytes.size() / sizeof(T)), T());
  if (!bytes.empty()) std::memcpy(field.mutable_data(), bytes.data(), bytes.size());
}

void setElementBytes(pb::LiteralProto& proto, ElementType type, std::string_view bytes) {
  if (isBytesField(type)) {
    proto.GetReflection()->SetString(&proto, fieldOf(type), std::string(bytes));
    return;
  }
  switch (type) {
    case ElementType::Pred:
      return assign(*proto.mutable_preds(), bytes);
    case ElementType::S32:
      return assign(*proto.mutable_s32s(), bytes);
    case ElementType::S64:
      return assign(*proto.mutable_s64s(), bytes);
    case ElementType::U32:
      return assign(*proto.mutable_u32s(), bytes);
    case ElementType::U64:
      return assign(*proto.mutable_u64s(), bytes);
    case ElementType::F32:
      return assign(*proto.mutable_f32s(), bytes);
    case ElementType::F64:
      return assign(*proto.mutable_f64s(), bytes);
    case ElementType::C64:
      return assign(*proto.mutable_c64s(), bytes);
    case ElementType::C128:
      return assign(*proto.mutable_c128s(), bytes);
    default:
      return;
  }
}

// Bits an element takes in a packed form: as XLA counts, so a pred takes one; 8 and more are never packed,
// nor are widths that do not divide a byte.
int packedBits(ElementType type) {
  const int bits = type == ElementType::Pred ? 1 : elementBits(type);
  return bits < 8 && 8 % bits == 0 ? bits : 8;
}

size_t packedBytes(ElementType type, size_t count) {
  const size_t perByte = 8 / packedBits(type);
  return (count + perByte - 1) / perByte;
}

// A narrow element as Literal stores it: integers extended by their sign, floats as bits.
char widen(ElementType type, uint8_t bits) {
  const int width = elementBits(type);
  if (type == ElementType::Pred) return static_cast<char>(bits != 0);
  if (width >= 8) return static_cast<char>(bits);
  const uint8_t mask = static_cast<uint8_t>((1u << width) - 1);
  bits &= mask;
  const bool negative = isSigned(type) && (bits >> (width - 1)) != 0;
  return static_cast<char>(negative ? bits | static_cast<uint8_t>(~mask) : bits);
}

void unpack(ElementType type, std::string_view packed, std::span<char> elements) {
  const int bits = packedBits(type);
  const size_t perByte = 8 / bits;
  for (size_t i = 0; i < elements.size(); ++i) {
    const uint8_t byte = static_cast<uint8_t>(packed[i / perByte]) >> (i % perByte * bits);
    elements[i] = widen(type, bits == 8 ? byte : byte & ((1u << bits) - 1));
  }
}

std::string pack(ElementType type, std::string_view elements) {
  const int bits = packedBits(type);
  if (bits == 8) return std::string(elements);
  const size_t perByte = 8 / bits;
  std::string packed(packedBytes(type, elements.size()), '\0');
  for (size_t i = 0; i < elements.size(); ++i) {
    const uint8_t value = static_cast<uint8_t>(elements[i]) & ((1u << bits) - 1);
    packed[i / perByte] =
        static_cast<char>(static_cast<uint8_t>(packed[i / perByte]) | value << (i % perByte * bits));
  }
  return packed;
}

// Walks the elements in row-major order and calls visit(logical, physical) with each element's place
// in either order.
template <typename Visit>
void forEachElement(Shape shape, const Layout& layout, Visit visit) {
  if (shape.elementCount() == 0) return;
  const size_t rank = shape.rank();
  std::vector<int64_t> strides(rank);
  int64_t stride = 1;
  for (int64_t dimension : layout.minorToMajor) {
    strides[dimension] = stride;
    stride *= shape.dimension(dimension);
  }
  std::vector<int64_t> index(rank, 0);
  int64_t physical = 0;
  for (int64_t logical = 0, count = shape.elementCount(); logical < count; ++logical) {
    visit(logical, physical);
    for (size_t d = rank; d-- > 0;) {
      physical += strides[d];
      if (++index[d] < shape.dimension(d)) break;
      physical -= strides[d] * index[d];
      index[d] = 0;
    }
  }
}

bool isRowMajor(Shape shape) { return shape.layout() == nullptr || shape.layout()->isDescending(); }

// Physical order, one storage unit an element, to the literal's own order.
void permuteInto(std::string_view physical, Literal& literal) {
  const auto logical = literal.mutableBytes();
  if (isRowMajor(literal.shape())) {
    if (!physical.empty()) std::memcpy(logical.data(), physical.data(), physical.size());
    return;
  }
  const size_t size = elementStorageBytes(literal.shape().elementType());
  forEachElement(literal.shape(), *literal.shape().layout(), [&](int64_t to, int64_t from) {
    std::memcpy(logical.data() + to * size, physical.data() + from * size, size);
  });
}

std::string physicalBytes(const Literal& literal) {
  const auto logical = literal.bytes();
  std::string physical(reinterpret_cast<const char*>(logical.data()), logical.size());
  if (isRowMajor(literal.shape())) return physical;
  const size_t size = elementStorageBytes(literal.shape().elementType());
  forEachElement(literal.shape(), *literal.shape().layout(), [&](int64_t from, int64_t to) {
    std::memcpy(physical.data() + to * size, logical.data() + from * size, size);
  });
  return physical;
}

// Fills a literal from elements in physical order, packed or one storage unit each.
void fill(Literal& literal, std::string_view bytes) {
  const ElementType type = literal.shape().elementType();
  const auto count = static_cast<size_t>(literal.shape().elementCount());
  if (elementStorageBytes(type) != 1) {
    permuteInto(bytes, literal);
    return;
  }
  std::string elements(count, '\0');
  if (bytes.size() == count) {
    std::ranges::transform(bytes, elements.begin(),
                           [&](char c) { return widen(type, static_cast<uint8_t>(c)); });
  } else {
    unpack(type, bytes, elements);
  }
  permuteInto(elements, literal);
}

Status readDynamicSizes(const google::protobuf::RepeatedField<int32_t>& sizes, Literal& literal) {
  const Shape shape = literal.shape();
  if (!shape.isDynamic() || sizes.empty()) return {};
  std::vector<int64_t> values(sizes.begin(), sizes.end());
  bool fits = values.size() == shape.rank();
  for (size_t i = 0; fits && i < values.size(); ++i) fits = values[i] >= 0 && values[i] <= shape.dimension(i);
  if (!fits)
    return badLiteral(
        fmt::format("dynamic sizes {{{}}} do not fit {}", fmt::join(values, ","), toString(shape)));
  literal.setDynamicSizes(std::move(values));
  return {};
}

Result<Literal> readArray(const pb::LiteralProto& proto, Shape shape) {
  const ElementType type = shape.elementType();
  if (shape.hasUnboundedDimension())
    return badLiteral(fmt::format("no literal can have shape {}", toString(shape)));
  const std::string_view bytes = elementBytes(proto, type);
  const int64_t count = shape.elementCount();
  if (bytes.empty() && count > 0) return Literal::elided(shape);
  // Compared without multiplying: the count may be as large as a hostile shape says.
  const size_t size = elementStorageBytes(type);
  const bool onePerUnit = bytes.size() % size == 0 && static_cast<int64_t>(bytes.size() / size) == count;
  const bool packed = elementBits(type) < 8 && count <= static_cast<int64_t>(bytes.size()) * 8 &&
                      bytes.size() == packedBytes(type, count);
  if (!onePerUnit && !packed) {
    return badLiteral(
        fmt::format("{} has {} bytes of values for {} elements", toString(shape), bytes.size(), count));
  }
  TRY(Literal literal, Literal::tryMake(shape));
  fill(literal, bytes);
  TRY_STATUS(readDynamicSizes(proto.dynamic_sizes(), literal));
  return literal;
}

Result<Literal> readWithShape(const pb::LiteralProto& proto, Shape shape) {
  if (shape.isArray()) return readArray(proto, shape);
  if (shape.isToken()) return Literal::tryMake(shape);
  if (!shape.isTuple()) return badLiteral(fmt::format("no literal can have shape {}", toString(shape)));
  const size_t count = shape.tupleShapes().size();
  if (static_cast<size_t>(proto.tuple_literals_size()) != count) {
    return badLiteral(
        fmt::format("{} elements for the tuple {}", proto.tuple_literals_size(), toString(shape)));
  }
  std::vector<Literal> elements;
  for (const auto& element : proto.tuple_literals()) {
    TRY(Literal literal, readLiteral(element));
    elements.push_back(std::move(literal));
  }
  return Literal::tuple(std::move(elements));
}

}  // namespace

Result<Literal> readLiteral(const pb::LiteralProto& proto) {
  TRY(const Shape shape, readShape(proto.shape()));
  return readWithShape(proto, shape);
}

void writeLiteral(const Literal& literal, pb::LiteralProto& proto) {
  const Shape shape = literal.shape();
  writeShape(shape, *proto.mutable_shape());
  if (shape.isTuple()) {
    for (const Literal& element : literal.elements()) writeLiteral(element, *proto.add_tuple_literals());
    return;
  }
  if (!shape.isArray() || literal.isElided()) return;
  if (shape.isDynamic()) {
    for (size_t i = 0; i < shape.rank(); ++i) {
      const auto sizes = literal.dynamicSizes();
      proto.add_dynamic_sizes(static_cast<int32_t>(sizes.empty() ? shape.dimension(i) : sizes[i]));
    }
  }
  setElementBytes(proto, shape.elementType(), physicalBytes(literal));
}

size_t serializedArrayBytes(Shape shape) {
  const auto count = static_cast<size_t>(shape.elementCount());
  const size_t sizes = shape.isDynamic() ? shape.rank() * sizeof(int32_t) : 0;
  const size_t size = elementStorageBytes(shape.elementType());
  return sizes + (size == 1 ? packedBytes(shape.elementType(), count) : count * size);
}

Status readSerializedArray(std::string_view bytes, Literal& literal) {
  const Shape shape = literal.shape();
  if (bytes.size() != serializedArrayBytes(shape)) {
    return badLiteral(fmt::format("{} needs {} bytes, {} are there", toString(shape),
                                  serializedArrayBytes(shape), bytes.size()));
  }
  if (shape.isDynamic()) {
    google::protobuf::RepeatedField<int32_t> sizes;
    assign(sizes, bytes.substr(0, shape.rank() * sizeof(int32_t)));
    TRY_STATUS(readDynamicSizes(sizes, literal));
    bytes.remove_prefix(shape.rank() * sizeof(int32_t));
  }
  const auto count = static_cast<size_t>(shape.elementCount());
  if (elementStorageBytes(shape.elementType()) != 1) {
    permuteInto(bytes, literal);
    return {};
  }
  std::string elements(count, '\0');
  unpack(shape.elementType(), bytes, elements);
  permuteInto(elements, literal);
  return {};
}

void appendSerializedArray(const Literal& literal, std::string& out) {
  const Shape shape = literal.shape();
  if (shape.isDynamic()) {
    for (size_t i = 0; i < shape.rank(); ++i) {
      const auto sizes = literal.dynamicSizes();
      const auto size = static_cast<int32_t>(sizes.empty() ? shape.dimension(i) : sizes[i]);
      out.append(reinterpret_cast<const char*>(&size), sizeof(size));
    }
  }
  const std::string physical = physicalBytes(literal);
  out += elementStorageBytes(shape.elementType()) == 1 ? pack(shape.elementType(), physical) : physical;
}

}  // namespace hilo
