#include "core/hlo/proto/delimited_snapshot.h"

#include <cstring>

#include "core/hlo/proto/literal_proto.h"
#include "core/hlo/proto/message_io.h"
#include "core/hlo/proto/shape_proto.h"
#include "core/hlo/proto/wire.h"

namespace hilo {
namespace {

constexpr int kNewestVersion = 0;

std::unexpected<Diagnostic> truncated(std::string_view what) {
  return fail("snapshot-truncated", fmt::format("the snapshot ends within {}", what));
}

Result<std::string_view> take(std::string_view& bytes, uint64_t size, std::string_view what) {
  if (size > bytes.size()) return truncated(what);
  const std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return taken;
}

// Depth first, as the shape nests.
Result<Literal> readElements(Shape shape, std::string_view& bytes) {
  if (shape.isTuple()) {
    std::vector<Literal> elements;
    for (Shape element : shape.tupleShapes()) {
      TRY(Literal literal, readElements(element, bytes));
      elements.push_back(std::move(literal));
    }
    return Literal::tuple(std::move(elements));
  }
  // Before anything is allocated: every element takes at least a bit.
  const bool isTooMuch = shape.isArray() && shape.elementCount() / 8 > static_cast<int64_t>(bytes.size());
  if (shape.hasUnboundedDimension() || isTooMuch) return truncated("an argument");
  TRY(Literal literal, Literal::tryMake(shape));
  if (!shape.isArray()) return literal;
  TRY(const std::string_view data, take(bytes, serializedArrayBytes(shape), "an argument's values"));
  TRY_STATUS(readSerializedArray(data, literal));
  return literal;
}

Result<Literal> readArgument(std::string_view bytes) {
  TRY(const std::string_view lengthBytes, take(bytes, 8, "an argument's header"));
  uint64_t length = 0;
  std::memcpy(&length, lengthBytes.data(), sizeof(length));
  TRY(const std::string_view shapeBytes, take(bytes, length, "an argument's shape"));
  pb::ShapeProto proto;
  TRY_STATUS(parseBinaryMessage(shapeBytes, proto));
  TRY(const Shape shape, readShape(proto));
  TRY(Literal literal, readElements(shape, bytes));
  if (!bytes.empty())
    return fail("bad-literal", fmt::format("{} bytes are left behind an argument", bytes.size()));
  return literal;
}

Status appendElements(const Literal& literal, std::string& out) {
  for (const Literal& element : literal.elements()) TRY_STATUS(appendElements(element, out));
  if (!literal.shape().isArray()) return {};
  if (literal.isElided())
    return fail("elided-argument", "an argument's values are elided; there is nothing to write");
  appendSerializedArray(literal, out);
  return {};
}

Result<std::string> serializeArgument(const Literal& literal) {
  pb::ShapeProto shape;
  writeShape(literal.shape(), shape);
  TRY(const std::string shapeBytes, toBinaryProto(shape));
  const uint64_t length = shapeBytes.size();
  std::string out(reinterpret_cast<const char*>(&length), sizeof(length));
  out += shapeBytes;
  TRY_STATUS(appendElements(literal, out));
  return out;
}

void appendVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

}  // namespace

Result<DelimitedSnapshot> readDelimitedSnapshot(std::string_view bytes) {
  DelimitedSnapshot snapshot;
  uint64_t length = 0;
  if (!readVarint(bytes, length)) return truncated("its length");
  TRY(const std::string_view head, take(bytes, length, "the module"));
  TRY_STATUS(parseBinaryMessage(head, snapshot.head));
  if (snapshot.head.version() > kNewestVersion) {
    return fail("snapshot-version",
                fmt::format("snapshot version {} is newer than this reader", snapshot.head.version()));
  }
  for (const auto& partition : snapshot.head.partitions()) {
    auto& arguments = snapshot.arguments.emplace_back();
    for (const auto& descriptor : partition.arguments_descriptors()) {
      if (descriptor.version() > kNewestVersion) {
        return fail("snapshot-version",
                    fmt::format("argument version {} is newer than this reader", descriptor.version()));
      }
      TRY(const std::string_view argument, take(bytes, descriptor.argument_size_bytes(), "an argument"));
      TRY(Literal literal, readArgument(argument));
      arguments.push_back(std::move(literal));
    }
  }
  if (!bytes.empty())
    return fail("bad-literal", fmt::format("{} bytes are left behind the arguments", bytes.size()));
  return snapshot;
}

Result<std::string> writeDelimitedSnapshot(pb::HloUnoptimizedSnapshot head,
                                           const std::vector<std::vector<Literal>>& arguments) {
  std::string body;
  for (const auto& partition : arguments) {
    auto& inputs = *head.add_partitions();
    for (const Literal& literal : partition) {
      TRY(const std::string argument, serializeArgument(literal));
      inputs.add_arguments_descriptors()->set_argument_size_bytes(argument.size());
      body += argument;
    }
  }
  TRY(const std::string headBytes, toBinaryProto(head));
  std::string out;
  appendVarint(headBytes.size(), out);
  return out + headBytes + body;
}

}  // namespace hilo
