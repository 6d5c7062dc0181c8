#include "core/hlo/proto/wire.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/message.h>

#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace hilo {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

enum class FieldForm : uint8_t { Unknown, Varint, Fixed64, Bytes, String, Fixed32, Message };

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

struct WireSchema;

constexpr int kMaxTabledNumber = 1000;
// From here on a message of mostly unknown fields is not walked further.
constexpr uint64_t kMaxUnknownFields = 1 << 16;

struct WireField {
  FieldForm form = FieldForm::Unknown;
  bool repeated = false;
  uint8_t elementBytes = 0;  // of one parsed scalar
  const WireSchema* message = nullptr;
};

struct WireSchema {
  uint64_t messageBytes = 0;
  std::vector<WireField> fields;  // by field number
};

FieldForm formOf(const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_DOUBLE:
    case FieldDescriptor::TYPE_FIXED64:
    case FieldDescriptor::TYPE_SFIXED64:
      return FieldForm::Fixed64;
    case FieldDescriptor::TYPE_FLOAT:
    case FieldDescriptor::TYPE_FIXED32:
    case FieldDescriptor::TYPE_SFIXED32:
      return FieldForm::Fixed32;
    case FieldDescriptor::TYPE_STRING:
      return FieldForm::String;
    case FieldDescriptor::TYPE_BYTES:
      return FieldForm::Bytes;
    case FieldDescriptor::TYPE_MESSAGE:
      return FieldForm::Message;
    case FieldDescriptor::TYPE_GROUP:
      return FieldForm::Unknown;
    default:
      return FieldForm::Varint;
  }
}

uint8_t scalarBytes(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return 1;
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_ENUM:
      return 4;
    default:
      return 8;
  }
}

uint64_t parsedBytes(const Descriptor& type) {
  // An entry of a map becomes a hash table node; its own message type cannot be asked.
  if (type.options().map_entry()) return 128;
  return google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type)->SpaceUsedLong();
}

// Built once a message type and kept for the life of the program.
class SchemaTable {
 public:
  const WireSchema* of(const Descriptor& type) {
    std::lock_guard lock(mutex_);
    return build(type);
  }

 private:
  const WireSchema* build(const Descriptor& type) {
    auto [entry, isNew] = schemas_.try_emplace(&type, nullptr);
    if (!isNew) return entry->second.get();
    entry->second = std::make_unique<WireSchema>();
    WireSchema& schema = *entry->second;
    schema.messageBytes = parsedBytes(type);
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      // The table is by number; far-off numbers (our own header) count as unknown.
      if (field.number() > kMaxTabledNumber) continue;
      if (schema.fields.size() <= size_t(field.number())) schema.fields.resize(field.number() + 1);
      const WireSchema* message =
          field.type() == FieldDescriptor::TYPE_MESSAGE ? build(*field.message_type()) : nullptr;
      schema.fields[field.number()] = {formOf(field), field.is_repeated(), scalarBytes(field), message};
    }
    return &schema;
  }

  std::mutex mutex_;
  std::unordered_map<const Descriptor*, std::unique_ptr<WireSchema>> schemas_;
};

SchemaTable& schemaTable() {
  static auto& table = *new SchemaTable;
  return table;
}

size_t utf8Length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return at + i < text.size() ? uint8_t(text[at + i]) : 0u; };
  const auto tail = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const uint32_t first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return tail(1) ? 2 : 0;
  if (first < 0xf0) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) >= 0xa0;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first > 0xf4 || (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90)) return 0;
  return tail(1) && tail(2) && tail(3) ? 4 : 0;
}

bool isPlainText(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const uint8_t byte = text[at];
    if (byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r') return false;
    const size_t length = utf8Length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

class WireWalk {
 public:
  WireWalk(std::string_view whole, const WireLimits& limits)
      : begin_(whole.data()), maxMemory_(std::max<uint64_t>(limits.freeBytes, whole.size() * limits.ratio)) {}

  bool message(std::string_view bytes, const WireSchema& schema, int depth) {
    fit.memoryBytes += schema.messageBytes;
    if (depth > kMaxWireDepth) return problem("messages nested too deeply", bytes);
    while (!bytes.empty()) {
      const std::string_view at = bytes;
      uint64_t tag = 0;
      if (!readVarint(bytes, tag)) return problem("field tag is cut off", at);
      const uint64_t number = tag >> 3;
      if (number == 0 || number > 0x1fffffff) return problem("field number out of range", at);
      const bool known = number < schema.fields.size() && schema.fields[number].form != FieldForm::Unknown;
      ++(known ? fit.knownFields : fit.unknownFields);
      if (fit.memoryBytes > maxMemory_) {
        fit.tooLarge = true;
        return false;
      }
      if (fit.unknownFields > kMaxUnknownFields && fit.unknownFields / 4 > fit.knownFields) {
        return problem("hardly any field is known", at);
      }
      if (!field(bytes, tag & 7, known ? schema.fields[number] : WireField{}, at, depth)) return false;
    }
    return true;
  }

  WireFit fit;

 private:
  bool problem(const char* what, std::string_view at) {
    fit.problem = what;
    fit.problemOffset = at.data() - begin_;
    return false;
  }

  bool field(std::string_view& bytes, uint32_t wireType, const WireField& field, std::string_view at,
             int depth) {
    const bool unknown = field.form == FieldForm::Unknown;
    if (unknown) fit.memoryBytes += 32;
    if (field.repeated && wireType != kLengthDelimited) fit.memoryBytes += field.elementBytes;
    uint64_t value = 0;
    switch (wireType) {
      case kVarint:
        if (!readVarint(bytes, value)) return problem("varint is cut off", at);
        return unknown || field.form == FieldForm::Varint ||
               problem("a varint where another type belongs", at);
      case kFixed64:
      case kFixed32: {
        const size_t size = wireType == kFixed64 ? 8 : 4;
        if (bytes.size() < size) return problem("fixed-size value is cut off", at);
        bytes.remove_prefix(size);
        const auto form = wireType == kFixed64 ? FieldForm::Fixed64 : FieldForm::Fixed32;
        return unknown || field.form == form || problem("a fixed-size value where another type belongs", at);
      }
      case kLengthDelimited:
        if (!readVarint(bytes, value)) return problem("length is cut off", at);
        if (value > bytes.size()) return problem("length runs past the end", at);
        return delimited(take(bytes, value), field, at, depth);
      default:
        return problem("unknown wire type", at);
    }
  }

  bool delimited(std::string_view content, const WireField& field, std::string_view at, int depth) {
    switch (field.form) {
      case FieldForm::Unknown:
        fit.memoryBytes += content.size() + sizeof(std::string);
        return true;
      case FieldForm::Bytes:
      case FieldForm::String:
        fit.memoryBytes += content.size() > 15 ? content.size() + sizeof(std::string) : sizeof(std::string);
        if (field.form == FieldForm::String && !isPlainText(content)) ++fit.oddStrings;
        return true;
      case FieldForm::Message:
        return message(content, *field.message, depth + 1);
      default:
        return packed(content, field, at);
    }
  }

  bool packed(std::string_view content, const WireField& field, std::string_view at) {
    if (!field.repeated) return problem("several values where one belongs", at);
    if (field.form == FieldForm::Varint) {
      if (!content.empty() && (content.back() & 0x80)) return problem("packed varint is cut off", at);
      uint64_t count = 0;
      for (char byte : content) count += (byte & 0x80) == 0;
      fit.memoryBytes += count * field.elementBytes;
      return true;
    }
    if (content.size() % field.elementBytes != 0) return problem("packed values are cut off", at);
    fit.memoryBytes += content.size();
    return true;
  }

  static std::string_view take(std::string_view& bytes, size_t size) {
    const std::string_view content = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return content;
  }

  const char* begin_;
  uint64_t maxMemory_;
};

// Takes the next field off `bytes`: its number and, when it is delimited or fixed, its content.
bool takeField(std::string_view& bytes, uint64_t& number, std::string_view& content) {
  uint64_t tag = 0;
  uint64_t value = 0;
  if (!readVarint(bytes, tag) || tag >> 3 == 0) return false;
  number = tag >> 3;
  size_t size = 0;
  switch (tag & 7) {
    case kVarint:
      if (!readVarint(bytes, value)) return false;
      break;
    case kFixed64:
      size = 8;
      break;
    case kFixed32:
      size = 4;
      break;
    case kLengthDelimited:
      if (!readVarint(bytes, value)) return false;
      size = value;
      break;
    default:
      return false;
  }
  if (size > bytes.size()) return false;
  content = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return true;
}

// The first occurrence of a field on this level.
bool findField(std::string_view bytes, uint64_t wanted, std::string_view& content) {
  uint64_t number = 0;
  while (!bytes.empty() && takeField(bytes, number, content)) {
    if (number == wanted) return true;
  }
  return false;
}

}  // namespace

bool readVarint(std::string_view& bytes, uint64_t& value) {
  value = 0;
  for (size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const uint8_t byte = bytes[i];
    value |= uint64_t(byte & 0x7f) << (7 * i);
    if ((byte & 0x80) == 0) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

WireFit fitWire(std::string_view bytes, const google::protobuf::Descriptor& type, const WireLimits& limits) {
  WireWalk walk(bytes, limits);
  walk.fit.fits = walk.message(bytes, *schemaTable().of(type), 0) || walk.fit.tooLarge;
  return walk.fit;
}

uint64_t wireTopFields(std::string_view bytes) {
  uint64_t fields = 0;
  uint64_t number = 0;
  std::string_view content;
  while (!bytes.empty()) {
    if (!takeField(bytes, number, content)) return 0;
    if (number < 64) fields |= uint64_t{1} << number;
  }
  return fields;
}

bool wireHasPath(std::string_view bytes, std::span<const int> path) {
  for (int number : path) {
    std::string_view content;
    if (!findField(bytes, static_cast<uint64_t>(number), content)) return false;
    bytes = content;
  }
  return true;
}

}  // namespace hilo
