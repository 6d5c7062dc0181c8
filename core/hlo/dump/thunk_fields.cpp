#include "core/hlo/dump/thunk_fields.h"

#include <fmt/format.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>

#include "core/hlo/proto/schema/executable.pb.h"
#include "core/hlo/proto/shape_proto.h"

namespace hilo {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::UnknownField;

enum class Detail : uint8_t { Short, Whole };
constexpr int kMostValues = 16;         // of a short list
constexpr size_t kMostValueBytes = 60;  // of a short value: a custom call's bytes can be megabytes

bool isOneOf(const FieldDescriptor& field, std::initializer_list<const Descriptor*> types) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         std::ranges::find(types, field.message_type()) != types.end();
}

bool isPlace(const FieldDescriptor& field) {
  return isOneOf(field, {pb::BufferAllocationSliceProto::descriptor()});
}
bool runsThunks(const FieldDescriptor& field) {
  return isOneOf(field, {pb::cpu::ThunkSequenceProto::descriptor(), pb::gpu::Listed::descriptor(),
                         pb::gpu::ThunkProto::descriptor()});
}
// A shape, or a slice with one.
bool hasShape(const FieldDescriptor& field) {
  return isOneOf(field, {pb::ShapeProto::descriptor(), pb::ShapedSliceProto::descriptor(),
                         pb::NullableShapedSliceProto::descriptor(), pb::cpu::ShapedSlice::descriptor()});
}
bool isLeftOut(const FieldDescriptor& field, Detail detail) {
  return isPlace(field) || runsThunks(field) || (detail == Detail::Short && hasShape(field));
}

std::string textOf(const Message& message, Detail detail);

std::string shapeText(const pb::ShapeProto& proto) {
  const auto shape = readShape(proto);
  return shape ? toString(*shape) : proto.ShortDebugString();
}

// `index`: -1 of a field that is not repeated. Empty where there is nothing to say.
std::string valueText(const Message& message, const FieldDescriptor& field, int index, Detail detail) {
  const auto* reflection = message.GetReflection();
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    const Message& inner = index < 0 ? reflection->GetMessage(message, &field)
                                     : reflection->GetRepeatedMessage(message, &field, index);
    if (const auto* shape = dynamic_cast<const pb::ShapeProto*>(&inner)) return shapeText(*shape);
    const std::string text = textOf(inner, detail);
    return text.empty() ? text : fmt::format("{{{}}}", text);
  }
  std::string text;
  google::protobuf::TextFormat::PrintFieldValueToString(message, &field, index, &text);
  if (detail == Detail::Short && text.size() > kMostValueBytes)
    text = text.substr(0, kMostValueBytes) + "...";
  return text;
}

std::string fieldText(const Message& message, const FieldDescriptor& field, Detail detail) {
  if (!field.is_repeated()) return valueText(message, field, -1, detail);
  std::vector<std::string> values;
  const int size = message.GetReflection()->FieldSize(message, &field);
  const int shown = detail == Detail::Short ? std::min(size, kMostValues) : size;
  for (int i = 0; i < shown; ++i) {
    if (std::string text = valueText(message, field, i, detail); !text.empty())
      values.push_back(std::move(text));
  }
  if (values.empty()) return {};
  if (size > shown) values.push_back(fmt::format("and {} more", size - shown));
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string unknownText(const UnknownField& field) {
  switch (field.type()) {
    case UnknownField::TYPE_VARINT:
      return fmt::format("{}", field.varint());
    case UnknownField::TYPE_FIXED32:
      return fmt::format("{:#x}", field.fixed32());
    case UnknownField::TYPE_FIXED64:
      return fmt::format("{:#x}", field.fixed64());
    case UnknownField::TYPE_LENGTH_DELIMITED: {
      const std::string& bytes = field.length_delimited();
      const auto* begin = reinterpret_cast<const unsigned char*>(bytes.data());
      return fmt::format("{} bytes {:02x}", bytes.size(), fmt::join(begin, begin + bytes.size(), ""));
    }
    case UnknownField::TYPE_GROUP:
      return fmt::format("a group of {}", field.group().SpaceUsedLong());
  }
  return {};
}

std::string textOf(const Message& message, Detail detail) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  std::vector<std::string> parts;
  for (const FieldDescriptor* field : fields) {
    if (isLeftOut(*field, detail)) continue;
    if (const std::string text = fieldText(message, *field, detail); !text.empty())
      parts.push_back(fmt::format("{} = {}", field->name(), text));
  }
  for (ThunkField& field : unknownFieldsOf(message)) {
    if (detail == Detail::Short && field.value.size() > kMostValueBytes)
      field.value = field.value.substr(0, kMostValueBytes) + "...";
    parts.push_back(fmt::format("{} = {}", field.name, field.value));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

void collect(const Message& message, const std::string& path, std::vector<ThunkField>& to) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (isLeftOut(*field, Detail::Whole)) continue;
    const std::string name = path + field->name();
    const bool isMessage = !field->is_repeated() && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
                           !isOneOf(*field, {pb::ShapeProto::descriptor()});
    const size_t before = to.size();
    if (isMessage) collect(message.GetReflection()->GetMessage(message, field), name + ".", to);
    // Of an empty message it counts that it is there: which of several it is.
    if (to.size() > before || (isMessage && hasShape(*field))) continue;
    std::string text = fieldText(message, *field, Detail::Whole);
    to.push_back({name, text.empty() ? "{}" : std::move(text)});
  }
  for (ThunkField& field : unknownFieldsOf(message))
    to.push_back({path + field.name, std::move(field.value)});
}

}  // namespace

std::string describeThunk(const Message& impl) { return textOf(impl, Detail::Short); }

std::vector<ThunkField> fieldsOf(const Message& impl) {
  std::vector<ThunkField> fields;
  collect(impl, "", fields);
  return fields;
}

std::vector<ThunkField> unknownFieldsOf(const Message& message) {
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  std::vector<ThunkField> fields;
  for (int i = 0; i < unknown.field_count(); ++i)
    fields.push_back({fmt::format("field {}", unknown.field(i).number()), unknownText(unknown.field(i))});
  return fields;
}

}  // namespace hilo
