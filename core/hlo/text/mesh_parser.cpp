#include "core/hlo/text/mesh_parser.h"

#include <charconv>

namespace hilo {
namespace {

bool readMeshAxes(Reader& reader, Mesh& mesh) {
  std::vector<MeshAxis> axes;
  const bool read = reader.readList('[', ']', [&] {
    MeshAxis& axis = axes.emplace_back();
    return reader.readString(axis.name) && reader.expect('=') && reader.readInt(axis.size);
  });
  if (!read) return false;
  mesh.axes = reader.arena.copy(axes);
  return true;
}

// ", device_ids=(...)" if it comes next; a comma before anything else is left.
bool readDeviceIds(Reader& reader, Mesh& mesh) {
  const char* before = reader.lexer.here();
  if (!reader.lexer.eat(',')) return true;
  if (!reader.lexer.eatWord("device_ids")) {
    reader.lexer.moveTo(before);
    return true;
  }
  if (!reader.expect('=') || !reader.expect('(')) return false;
  if (reader.lexer.peek() == '[') {
    mesh.hasIota = true;
    return readIota(reader, mesh.iota) && reader.expect(')');
  }
  reader.lexer.moveTo(reader.lexer.position() - 1);
  return reader.readInts('(', ')', mesh.deviceIds);
}

}  // namespace

bool atMesh(Reader& reader) {
  Lexer ahead = reader.lexer;
  return (ahead.eatWord("mesh") || ahead.eatWord("maximal_mesh")) && ahead.peek() == '[';
}

bool readIota(Reader& reader, IotaTileAssignment& iota) {
  if (!reader.readInts('[', ']', iota.reshapeDimensions)) return false;
  if (iota.reshapeDimensions.empty())
    return reader.error("bad-sharding", "an iota needs at least one dimension");
  if (!reader.lexer.eatWord("T")) return true;
  const char* at = reader.lexer.here();
  if (!reader.readInts('(', ')', iota.transposePermutation)) return false;
  const int64_t rank = static_cast<int64_t>(iota.reshapeDimensions.size());
  absl::InlinedVector<bool, 8> seen(rank, false);
  bool ok = static_cast<int64_t>(iota.transposePermutation.size()) == rank;
  for (int64_t dimension : iota.transposePermutation) {
    ok = ok && dimension >= 0 && dimension < rank && !seen[dimension];
    if (ok) seen[dimension] = true;
  }
  return ok || reader.errorAt(at, "bad-sharding", "T(...) does not name every iota dimension once");
}

bool readMesh(Reader& reader, Mesh& mesh, std::optional<int64_t>& maximalDevice) {
  if (reader.lexer.eatWord("maximal_mesh")) {
    if (!reader.expect('[') || !reader.lexer.eatWord("device_id")) return reader.expected("[device_id=...]");
    return reader.expect('=') && reader.readInt(maximalDevice.emplace()) && reader.expect(']');
  }
  if (!reader.lexer.eatWord("mesh")) return reader.expected("a mesh");
  return readMeshAxes(reader, mesh) && readDeviceIds(reader, mesh);
}

bool readAxisRef(Reader& reader, const Mesh& mesh, AxisRef& axis) {
  const char* at = reader.lexer.here();
  std::string_view name;
  if (!reader.readString(name)) return false;
  axis.axis = -1;
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    if (mesh.axes[i].name == name) axis.axis = static_cast<int64_t>(i);
  }
  if (axis.axis < 0) {
    const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), axis.axis);
    const bool isNumber = status == std::errc() && end == name.data() + name.size();
    if (!isNumber || axis.axis < 0 || axis.axis >= static_cast<int64_t>(mesh.axes.size())) {
      return reader.errorAt(at, "unknown-mesh-axis", fmt::format("the mesh has no axis '{}'", name));
    }
  }
  if (!reader.lexer.eat(':')) return true;
  return reader.expect('(') && reader.readInt(axis.subPreSize) && reader.expect(')') &&
         reader.readInt(axis.subSize);
}

bool readAxisRefs(Reader& reader, const Mesh& mesh, std::span<const AxisRef>& axes) {
  std::vector<AxisRef> list;
  if (!reader.readList('{', '}', [&] { return readAxisRef(reader, mesh, list.emplace_back()); }))
    return false;
  axes = reader.arena.copy(list);
  return true;
}

bool readDimensionSharding(Reader& reader, const Mesh& mesh, NamedDimensionSharding& dimension) {
  std::vector<AxisRef> list;
  const bool read = reader.readList('{', '}', [&] {
    if (!dimension.isClosed) return reader.error("bad-sharding", "'?' must come last");
    if (!reader.lexer.eat('?')) return readAxisRef(reader, mesh, list.emplace_back());
    dimension.isClosed = false;
    return true;
  });
  if (!read) return false;
  dimension.axes = reader.arena.copy(list);
  return true;
}

}  // namespace hilo
