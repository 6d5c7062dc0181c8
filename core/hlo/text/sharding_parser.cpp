#include "core/hlo/text/sharding_parser.h"

#include "core/hlo/text/mesh_parser.h"
#include "core/hlo/text/value_parsers.h"

namespace hilo {
namespace {

using Type = Sharding::Type;

std::optional<Type> typeFromWord(std::string_view word) {
  if (word == "replicated") return Type::Replicated;
  if (word == "maximal") return Type::Maximal;
  if (word == "manual") return Type::Manual;
  if (word == "unknown") return Type::Unknown;
  if (word == "unreduced") return Type::Unreduced;
  return std::nullopt;
}

bool readSubgroupTypes(Reader& reader, std::span<const Type>& types) {
  std::vector<Type> list;
  const bool read = reader.readList('{', '}', [&] {
    const char* at = reader.lexer.here();
    const auto type = typeFromWord(reader.lexer.word());
    if (!type || *type == Type::Unknown) {
      reader.lexer.moveTo(at);
      return reader.expected("maximal, replicated, manual or unreduced");
    }
    list.push_back(*type);
    return true;
  });
  if (!read) return false;
  types = reader.arena.copy(list);
  return true;
}

// One metadata={...} or a list of them, {{...}, {...}}.
bool readMetadataList(Reader& reader, std::span<const OpMetadata>& metadata) {
  std::vector<OpMetadata> list;
  Lexer ahead = reader.lexer;
  if (ahead.eat('{') && ahead.peek() == '{') {
    if (!reader.readList('{', '}', [&] { return readMetadata(reader, list.emplace_back()); })) return false;
  } else if (!readMetadata(reader, list.emplace_back())) {
    return false;
  }
  metadata = reader.arena.copy(list);
  return true;
}

// "[2,4]<=[8]T(..)" or "[2,4]0,1,2,...".
bool readDevices(Reader& reader, Sharding& sharding) {
  if (!reader.readInts('[', ']', sharding.tileDimensions)) return false;
  if (reader.lexer.eatLessEqual()) {
    sharding.hasIota = true;
    return readIota(reader, sharding.iota);
  }
  std::vector<int64_t> devices;
  do {
    if (!reader.roomForItem(devices.size()) || !reader.readInt(devices.emplace_back())) return false;
  } while (reader.lexer.eat(','));
  sharding.devices = reader.arena.copy(devices);
  return true;
}

// What was seen between the braces of one sharding.
struct Seen {
  bool type = false;
  bool tiled = false;
};

bool readShardingPart(Reader& reader, Sharding& sharding, Seen& seen) {
  const char* at = reader.lexer.here();
  const std::string_view word = reader.lexer.word();
  if (reader.lexer.peek() == '=') {
    reader.lexer.eat('=');
    if (word == "devices") {
      seen.tiled = true;
      return readDevices(reader, sharding);
    }
    if (word == "device") return reader.readInt(sharding.maximalDevice);
    if (word == "metadata") return readMetadataList(reader, sharding.metadata);
    if (word == "last_tile_dims") return readSubgroupTypes(reader, sharding.subgroupTypes);
    return reader.errorAt(at, "unknown-attribute", fmt::format("a sharding has no '{}'", word));
  }
  if (word == "last_tile_dim_replicate") {
    sharding.replicateOnLastTileDim = true;
    return true;
  }
  if (word == "shard_as" || word == "shard_like") {
    sharding.shardGroup = word == "shard_as" ? Sharding::ShardGroup::As : Sharding::ShardGroup::Like;
    return reader.readInt(sharding.shardGroupId);
  }
  if (const auto type = typeFromWord(word)) {
    seen.type = true;
    sharding.type = *type;
    return true;
  }
  reader.lexer.moveTo(at);
  return reader.expected("a part of a sharding");
}

bool checkTiled(Reader& reader, const char* at, const Sharding& sharding) {
  if (sharding.tileDimensions.empty()) {
    return reader.errorAt(at, "bad-sharding", "a tiled sharding needs the dimensions of its tile assignment");
  }
  int64_t tiles = 1;
  for (int64_t size : sharding.tileDimensions) {
    if (size <= 0 || __builtin_mul_overflow(tiles, size, &tiles)) {
      return reader.errorAt(at, "bad-sharding",
                            "the tile assignment's dimensions are not positive or too large");
    }
  }
  if (!sharding.hasIota && static_cast<int64_t>(sharding.devices.size()) != tiles) {
    return reader.errorAt(at, "bad-sharding",
                          fmt::format("{} devices are listed for {} tiles", sharding.devices.size(), tiles));
  }
  return true;
}

NamedSharding::Reduction reductionFromWord(Reader& reader) {
  if (reader.lexer.eatWord("max")) return NamedSharding::Reduction::Max;
  if (reader.lexer.eatWord("min")) return NamedSharding::Reduction::Min;
  reader.lexer.eatWord("sum");
  return NamedSharding::Reduction::Sum;
}

std::span<const AxisRef> allAxes(Reader& reader, const Mesh& mesh) {
  std::vector<AxisRef> axes;
  for (size_t i = 0; i < mesh.axes.size(); ++i) axes.push_back({static_cast<int64_t>(i)});
  return reader.arena.copy(axes);
}

// ", name=value" parts after the dimensions of a named sharding, to its closing brace.
bool readNamedParts(Reader& reader, NamedSharding& named, Sharding& sharding) {
  while (!reader.lexer.eat('}')) {
    if (!reader.expect(',')) return false;
    const char* at = reader.lexer.here();
    std::string_view key;
    if (!reader.readKey(key)) return false;
    bool read = true;
    if (key == "replicated") {
      read = readAxisRefs(reader, named.mesh, named.replicatedAxes);
    } else if (key == "unreduced") {
      named.reduction = reductionFromWord(reader);
      read = readAxisRefs(reader, named.mesh, named.unreducedAxes);
    } else if (key == "manual") {
      read = readAxisRefs(reader, named.mesh, named.manualAxes);
    } else if (key == "metadata") {
      read = readMetadataList(reader, sharding.metadata);
    } else {
      read = reader.errorAt(at, "unknown-attribute", fmt::format("a named sharding has no '{}'", key));
    }
    if (!read) return false;
  }
  return true;
}

// After the mesh of a named sharding: "replicated", "unreduced[=op][{axes}]", "manual" or dimensions.
bool readNamedBody(Reader& reader, NamedSharding& named, Sharding& sharding) {
  Lexer& lexer = reader.lexer;
  lexer.eat(',');
  if (lexer.eatWord("replicated")) return readNamedParts(reader, named, sharding);
  if (lexer.eatWord("manual")) {
    named.manualAxes = allAxes(reader, named.mesh);
    return readNamedParts(reader, named, sharding);
  }
  if (lexer.eatWord("unreduced")) {
    if (lexer.eat('=')) named.reduction = reductionFromWord(reader);
    if (lexer.peek() == '{') {
      if (!readAxisRefs(reader, named.mesh, named.unreducedAxes)) return false;
    } else {
      named.unreducedAxes = allAxes(reader, named.mesh);
    }
    return readNamedParts(reader, named, sharding);
  }
  std::vector<NamedDimensionSharding> dimensions;
  const bool read = reader.readList(
      '[', ']', [&] { return readDimensionSharding(reader, named.mesh, dimensions.emplace_back()); });
  if (!read) return false;
  named.dimensions = reader.arena.copy(dimensions);
  return readNamedParts(reader, named, sharding);
}

bool readNamedSharding(Reader& reader, Sharding& sharding) {
  NamedSharding named;
  std::optional<int64_t> maximalDevice;
  if (!readMesh(reader, named.mesh, maximalDevice)) return false;
  if (maximalDevice) {
    sharding.type = Type::Maximal;
    sharding.maximalDevice = *maximalDevice;
    if (!readNamedParts(reader, named, sharding)) return false;
  } else {
    sharding.type = Type::Tiled;
    if (!readNamedBody(reader, named, sharding)) return false;
  }
  sharding.named = reader.arena.create<NamedSharding>(named);
  return true;
}

// The rest of a sharding that is no tuple, after its '{'.
bool readSingleSharding(Reader& reader, const char* at, Sharding& sharding) {
  if (atMesh(reader)) return readNamedSharding(reader, sharding);
  Seen seen;
  while (!reader.lexer.eat('}')) {
    if (!readShardingPart(reader, sharding, seen)) return false;
  }
  if (!seen.type) {
    sharding.type = Type::Tiled;
    return checkTiled(reader, at, sharding);
  }
  if (seen.tiled) {
    return reader.errorAt(at, "bad-sharding", "only a tiled sharding has a tile assignment");
  }
  return true;
}

}  // namespace

bool readSharding(Reader& reader, Sharding& sharding) {
  Reader::DepthGuard guard(reader);
  if (!guard) return false;
  const char* at = reader.lexer.here();
  if (!reader.expect('{')) return false;
  const char c = reader.lexer.peek();
  if (c != '{' && c != '}') return readSingleSharding(reader, at, sharding);
  sharding.type = Type::Tuple;
  std::vector<Sharding> elements;
  reader.lexer.moveTo(at);
  if (!reader.readList('{', '}', [&] { return readSharding(reader, elements.emplace_back()); })) return false;
  sharding.elements = reader.arena.copy(elements);
  return true;
}

bool readReplicaGroups(Reader& reader, ReplicaGroups& groups) {
  if (reader.lexer.peek() == '{') {
    groups.form = ReplicaGroups::Form::List;
    return reader.readIntLists(groups.groups);
  }
  if (atMesh(reader)) {
    groups.form = ReplicaGroups::Form::MeshAxes;
    std::optional<int64_t> maximalDevice;
    const char* at = reader.lexer.here();
    if (!readMesh(reader, groups.mesh, maximalDevice)) return false;
    if (maximalDevice)
      return reader.errorAt(at, "bad-replica-groups", "a maximal mesh has no axes to group by");
    return readAxisRefs(reader, groups.mesh, groups.axes);
  }
  groups.form = ReplicaGroups::Form::Iota;
  const char* at = reader.lexer.here();
  std::span<const int64_t> sizes;
  if (!reader.readInts('[', ']', sizes)) return false;
  if (!reader.lexer.eatLessEqual()) return reader.expected("'<='");
  if (sizes.size() != 2) {
    return reader.errorAt(at, "bad-replica-groups",
                          "iota replica groups have a group count and a group size");
  }
  groups.groupCount = sizes[0];
  groups.groupSize = sizes[1];
  return readIota(reader, groups.iota);
}

bool readDomain(Reader& reader, Domain& domain) {
  if (!reader.expect('{')) return false;
  while (!reader.lexer.eat('}')) {
    const char* at = reader.lexer.here();
    std::string_view key;
    if (!reader.readKey(key)) return false;
    bool read = true;
    if (key == "kind")
      read = reader.readString(domain.kind);
    else if (key == "entry")
      read = readSharding(reader, domain.entry);
    else if (key == "exit")
      read = readSharding(reader, domain.exit);
    else
      read = reader.errorAt(at, "unknown-attribute", fmt::format("a domain has no '{}'", key));
    if (!read) return false;
    reader.lexer.eat(',');
  }
  return true;
}

}  // namespace hilo
