// Attributes: which one a name means for an opcode, and the reading of its value by its kind.

#include <utility>

#include "core/hlo/text/literal_parser.h"
#include "core/hlo/text/original_value_parser.h"
#include "core/hlo/text/parse_state.h"
#include "core/hlo/text/shape_parser.h"
#include "core/hlo/text/sharding_parser.h"
#include "core/hlo/text/value_parsers.h"

namespace hilo {
namespace {

// --- which attribute a name means ---

constexpr Attr kFirstCommon = Attr::Sharding;

std::optional<Attr> commonAttribute(std::string_view name) {
  // Metadata and sharding are nearly all of them.
  if (name == "metadata") return Attr::Metadata;
  for (int i = static_cast<int>(kFirstCommon); i < kAttrCount; ++i) {
    const Attr attr = static_cast<Attr>(i);
    if (attrName(attr) == name && attr != Attr::Opaque) return attr;
  }
  if (name == "original_value") return Attr::Origin;  // its name in older versions
  return std::nullopt;
}

std::optional<Attr> ownAttribute(Opcode opcode, std::string_view name) {
  for (Attr attr : opcodeAttributes(opcode)) {
    if (attrName(attr) == name) return attr;
  }
  return std::nullopt;
}

// An attribute of some other opcode: versions of XLA move attributes between opcodes, and the value is still
// worth its type. Names that mean two kinds stay opaque.
std::optional<Attr> foreignAttribute(std::string_view name) {
  std::optional<Attr> found;
  for (int i = static_cast<int>(Attr::Dimensions); i < static_cast<int>(Attr::IsScheduled); ++i) {
    if (attrName(static_cast<Attr>(i)) != name) continue;
    if (found) return std::nullopt;
    found = static_cast<Attr>(i);
  }
  return found;
}

// The names an instruction of this opcode may have, for did-you-mean.
std::vector<std::string_view> knownNames(Opcode opcode) {
  std::vector<std::string_view> names;
  for (Attr attr : opcodeAttributes(opcode)) names.push_back(attrName(attr));
  for (int i = static_cast<int>(kFirstCommon); i < kAttrCount; ++i) {
    if (static_cast<Attr>(i) != Attr::Opaque) names.push_back(attrName(static_cast<Attr>(i)));
  }
  return names;
}

// --- enumerations ---

using EnumReader = std::optional<int64_t> (*)(std::string_view);

template <typename T>
constexpr EnumReader enumReader() {
  if constexpr (std::is_enum_v<T>) {
    return [](std::string_view text) -> std::optional<int64_t> {
      const auto value = enumFromText<T>(text);
      return value ? std::optional(static_cast<int64_t>(*value)) : std::nullopt;
    };
  } else {
    return nullptr;
  }
}

constexpr EnumReader kEnumReaders[] = {
#define ATTRIBUTE(name, text, kind, ...) enumReader<AttrTraits<Attr::name>::Type>(),
#include "core/hlo/ir/attributes.def"
};

bool readEnum(ParseState& state, Attr attr, Attribute& attribute) {
  const char* at = state.lexer.here();
  const std::string_view word = state.lexer.word();
  const auto value = kEnumReaders[static_cast<size_t>(attr)](word);
  if (value) {
    attribute.integer = *value;
    return true;
  }
  return state.reader.errorAt(at, "bad-value", fmt::format("'{}' is no value of {}", word, attrName(attr)));
}

// --- packing what was read ---

void packText(Attribute& attribute, std::string_view text) {
  attribute.pointer = text.data();
  attribute.count = static_cast<uint32_t>(text.size());
}

template <typename T>
void packList(Attribute& attribute, std::span<T> list) {
  attribute.pointer = list.data();
  attribute.count = static_cast<uint32_t>(list.size());
}

// Reads a list payload with `read(reader, span)`.
template <typename T>
bool readListWith(Reader& reader, Attribute& attribute, bool (*read)(Reader&, std::span<const T>&)) {
  std::span<const T> list;
  if (!read(reader, list)) return false;
  packList(attribute, list);
  return true;
}

// Reads a payload struct with `read(reader, payload)` and keeps it in the arena.
template <typename T>
bool readPayloadWith(Reader& reader, Attribute& attribute, bool (*read)(Reader&, T&)) {
  T payload{};
  if (!read(reader, payload)) return false;
  attribute.pointer = reader.arena.create<T>(payload);
  return true;
}

// The same through a cache of payloads by their text.
template <typename F>
bool readCached(ParseState& state, PayloadCache& cache, Attribute& attribute, F&& read) {
  if (!cache.useful()) return read();
  const char* start = state.lexer.here();
  const auto text = state.lexer.braces();
  if (!text) {
    state.lexer.moveTo(start);
    return read();
  }
  if (const Attribute* known = cache.find(*text)) {
    attribute = *known;
    return true;
  }
  state.lexer.moveTo(start);
  if (!read()) return false;
  if (state.lexer.position() == text->data() + text->size()) cache.insert(*text, attribute);
  return true;
}

// --- values that refer to the module ---

bool readComputationName(ParseState& state, Computation*& computation) {
  const char* at = state.lexer.here();
  std::string_view name;
  if (!state.reader.readName(name)) return false;
  const auto found = state.computations.find(name);
  if (found != state.computations.end()) {
    computation = found->second;
    return true;
  }
  // One that is still being read cannot call itself.
  const bool isOpen = std::ranges::any_of(state.module.computations(),
                                          [&](const Computation* it) { return it->name() == name; });
  if (state.isPart && !isOpen) {
    computation = missingComputation(state, at, name);
    return true;
  }
  std::vector<std::string_view> names;
  for (const auto& [known, ignored] : state.computations) names.push_back(known);
  return state.reader.errorAt(at, "undefined-computation",
                              fmt::format("there is no computation '{}' before this line", name),
                              didYouMean(name, names));
}

bool readComputationReference(ParseState& state, std::string_view hint, Computation*& computation) {
  if (state.lexer.peek() != '{') return readComputationName(state, computation);
  computation = readNestedComputation(state, hint);
  return computation != nullptr;
}

bool readComputationList(ParseState& state, std::string_view hint, Attribute& attribute) {
  std::vector<Computation*> list;
  const bool read = state.reader.readList(
      '{', '}', [&] { return readComputationReference(state, hint, list.emplace_back()); });
  if (!read) return false;
  packList(attribute, state.reader.arena.copy(std::span<Computation* const>(list)));
  return true;
}

bool readInstructionList(ParseState& state, Attribute& attribute) {
  std::vector<Instruction*> list;
  const bool read = state.reader.readList('{', '}', [&] {
    const char* at = state.lexer.here();
    std::string_view name;
    if (!state.reader.readName(name)) return false;
    Instruction* found = state.names->find(name);
    if (found == nullptr) {
      return state.reader.errorAt(at, "undefined-name",
                                  fmt::format("there is no instruction '{}' before this line", name));
    }
    list.push_back(found);
    return true;
  });
  if (!read) return false;
  packList(attribute, state.reader.arena.copy(std::span<Instruction* const>(list)));
  return true;
}

bool readLiteralValue(ParseState& state, Attribute& attribute) {
  Literal literal;
  if (!readShapedLiteral(state.reader, literal)) return false;
  attribute.pointer = state.module.own(std::move(literal));
  return true;
}

// A JSON object as it stands, or a quoted string.
bool readConfig(ParseState& state, Attribute& attribute) {
  if (state.lexer.peek() == '{') {
    const auto text = state.lexer.braces();
    if (!text) return state.reader.error("unterminated-braces", "this value's '{' is never closed");
    packText(attribute, *text);
    return true;
  }
  std::string_view text;
  if (!state.reader.readString(text)) return false;
  if (text.starts_with('{')) state.style.quotedJsonConfigs = true;
  packText(attribute, text);
  return true;
}

bool readRawBlock(ParseState& state, Attribute& attribute) {
  const auto text = state.lexer.braces();
  if (!text) return state.reader.expected("a value in braces");
  packText(attribute, *text);
  return true;
}

bool readFrontendValue(ParseState& state, Attribute& attribute) {
  const char* start = state.lexer.here();
  if (!readListWith<FrontendAttribute>(state.reader, attribute, readFrontendAttributes)) return false;
  if (!state.style.quotedJsonConfigs) {
    const std::string_view text(start, state.lexer.position() - start);
    if (text.find("=\"{") != text.npos) state.style.quotedJsonConfigs = true;
  }
  return true;
}

bool readScalar(ParseState& state, Attr attr, Attribute& attribute) {
  switch (attrKind(attr)) {
    case AttrKind::Bool: {
      bool value = false;
      if (!state.reader.readBool(value)) return false;
      attribute.integer = value;
      return true;
    }
    case AttrKind::Int64:
      return state.reader.readInt(attribute.integer);
    case AttrKind::Float:
      return state.reader.readDouble(attribute.real);
    case AttrKind::Enum:
      return readEnum(state, attr, attribute);
    case AttrKind::String: {
      std::string_view text;
      if (!state.reader.readString(text)) return false;
      packText(attribute, text);
      return true;
    }
    case AttrKind::Shape:
      return readPayloadWith<Shape>(state.reader, attribute, readShape);
    default:
      break;
  }
  return false;
}

bool readIntsValue(Reader& reader, std::span<const int64_t>& values) {
  return reader.readInts('{', '}', values);
}
bool readIntListsValue(Reader& reader, std::span<const std::span<const int64_t>>& values) {
  return reader.readIntLists(values);
}

bool readStructured(ParseState& state, Attr attr, std::string_view hint, Attribute& attribute) {
  Reader& reader = state.reader;
  switch (attrKind(attr)) {
    case AttrKind::Int64List:
      return readListWith<int64_t>(reader, attribute, readIntsValue);
    case AttrKind::Int64ListList:
      return readListWith<std::span<const int64_t>>(reader, attribute, readIntListsValue);
    case AttrKind::BoolList:
      return readListWith<bool>(reader, attribute, readBoolList);
    case AttrKind::PrecisionList:
      return readListWith<Precision>(reader, attribute, readPrecisionList);
    case AttrKind::Computation: {
      Computation* computation = nullptr;
      if (!readComputationReference(state, hint, computation)) return false;
      attribute.pointer = computation;
      return true;
    }
    case AttrKind::ComputationList:
      return readComputationList(state, hint, attribute);
    case AttrKind::InstructionList:
      return readInstructionList(state, attribute);
    case AttrKind::ShapeList:
      return readListWith<Shape>(reader, attribute, readShapeList);
    case AttrKind::Literal:
      return readLiteralValue(state, attribute);
    case AttrKind::Window:
      return readPayloadWith<Window>(reader, attribute, readWindow);
    case AttrKind::ConvolutionDimensionNumbers:
      return readPayloadWith<ConvolutionDimensionNumbers>(reader, attribute, readDimLabels);
    case AttrKind::Padding:
      return readListWith<PaddingDimension>(reader, attribute, readPadding);
    case AttrKind::SliceRanges:
      return readListWith<SliceRange>(reader, attribute, readSliceRanges);
    case AttrKind::StatisticsViz:
      return readPayloadWith<StatisticsViz>(reader, attribute, readStatistics);
    case AttrKind::ReplicaGroups:
      return readPayloadWith<ReplicaGroups>(reader, attribute, readReplicaGroups);
    case AttrKind::Aliasing:
    case AttrKind::InstructionAliasing:
      return readListWith<AliasEntry>(reader, attribute, readAliasing);
    case AttrKind::BufferDonorList:
      return readListWith<BufferDonor>(reader, attribute, readBufferDonors);
    case AttrKind::ProgramShape:
      return readPayloadWith<ProgramShape>(reader, attribute, readProgramShape);
    case AttrKind::Domain:
      return readPayloadWith<Domain>(reader, attribute, readDomain);
    case AttrKind::OriginalValue:
      return readPayloadWith<OriginalValue>(reader, attribute, readOriginalValue);
    case AttrKind::ResultAccuracy:
      return readPayloadWith<ResultAccuracy>(reader, attribute, readResultAccuracy);
    case AttrKind::SparsityConfig:
      return readPayloadWith<SparsityConfig>(reader, attribute, readSparsityConfig);
    case AttrKind::RawConfig:
      return readConfig(state, attribute);
    case AttrKind::RawBlock:
      return readRawBlock(state, attribute);
    default:
      return readScalar(state, attr, attribute);
  }
}

struct NamedAttribute {
  Attr attr;
  bool ofWrapped;
};

std::optional<NamedAttribute> resolve(const AttributeTarget& target, std::string_view name) {
  if (target.wrappedOpcode) {
    if (const auto attr = ownAttribute(*target.wrappedOpcode, name)) return NamedAttribute{*attr, true};
  }
  if (const auto attr = ownAttribute(target.opcode, name)) return NamedAttribute{*attr, false};
  if (const auto attr = commonAttribute(name)) return NamedAttribute{*attr, false};
  if (const auto attr = foreignAttribute(name))
    return NamedAttribute{*attr, target.wrappedOpcode.has_value()};
  return std::nullopt;
}

bool contains(const AttributeItems& items, Attr attr) {
  for (const Attribute& item : items) {
    if (item.key == attr) return true;
  }
  return false;
}

bool readOneAttribute(ParseState& state, const AttributeTarget& target) {
  const char* at = state.lexer.here();
  std::string_view name;
  if (!state.reader.readKey(name)) return false;
  Attribute attribute{.key = Attr::Opaque};
  if (!roomForAttribute(state, target.own->size())) return false;
  const auto named = resolve(target, name);
  if (!named) {
    const Opcode opcode = target.wrappedOpcode.value_or(target.opcode);
    const auto names = state.reader.wantsWarning() ? knownNames(opcode) : std::vector<std::string_view>();
    if (!readOpaqueAttribute(state, at, name, opcodeName(opcode), attribute, names)) return false;
    target.own->push_back(attribute);
    return true;
  }
  AttributeItems& items = named->ofWrapped ? *target.wrapped : *target.own;
  attribute.key = named->attr;
  if (contains(items, named->attr)) {
    return state.reader.errorAt(at, "duplicate-attribute", fmt::format("'{}' is given twice", name));
  }
  if (!readAttributeValue(state, named->attr, target.instructionName, attribute)) return false;
  items.push_back(attribute);
  return true;
}

}  // namespace

bool readAttributeValue(ParseState& state, Attr attr, std::string_view hint, Attribute& attribute) {
  attribute.key = attr;
  switch (attrKind(attr)) {
    case AttrKind::Metadata:
      return readCached(state, state.metadataCache, attribute,
                        [&] { return readPayloadWith<OpMetadata>(state.reader, attribute, readMetadata); });
    case AttrKind::Sharding:
      return readCached(state, state.shardingCache, attribute,
                        [&] { return readPayloadWith<Sharding>(state.reader, attribute, readSharding); });
    case AttrKind::FrontendAttributes:
      return readCached(state, state.frontendCache, attribute,
                        [&] { return readFrontendValue(state, attribute); });
    default:
      return readStructured(state, attr, hint, attribute);
  }
}

bool roomForAttribute(ParseState& state, size_t count) {
  // Far more than there are: only attributes that are not known can come so often.
  constexpr size_t kMaxAttributes = 1000;
  return count < kMaxAttributes ||
         state.reader.error("list-too-long", fmt::format("more than {} attributes", kMaxAttributes));
}

bool readOpaqueAttribute(ParseState& state, const char* at, std::string_view name, std::string_view owner,
                         Attribute& attribute, std::span<const std::string_view> alternatives) {
  const std::optional<std::string_view> text = state.lexer.opaqueValue();
  if (!text)
    return state.reader.error("unterminated-value", "a string or a bracket of this value is never closed");
  if (text->empty()) return state.reader.expected("a value");
  attribute.key = Attr::Opaque;
  attribute.pointer = state.reader.arena.create<OpaqueAttribute>(OpaqueAttribute{name, *text});
  if (!state.reader.wantsWarning()) return true;
  state.reader.warnAt(at, "unknown-attribute",
                      fmt::format("{} has no attribute '{}' that is known; it is kept as written",
                                  owner.empty() ? "this instruction" : owner, name),
                      didYouMean(name, alternatives));
  return true;
}

bool readInstructionAttributes(ParseState& state, const AttributeTarget& target) {
  while (state.lexer.eat(',')) {
    if (!readOneAttribute(state, target)) return false;
  }
  return true;
}

std::optional<Attr> headerAttribute(std::string_view name) {
  for (int i = static_cast<int>(Attr::IsScheduled); i < static_cast<int>(Attr::CrossProgramPrefetches); ++i) {
    if (attrName(static_cast<Attr>(i)) == name) return static_cast<Attr>(i);
  }
  if (name == "frontend_attributes") return Attr::FrontendAttributes;
  return std::nullopt;
}

}  // namespace hilo
