#include "core/compiler/spmd/shardy/attribute_text.h"

#include "core/compiler/spmd/shardy/attribute_scanner.h"
#include "core/compiler/spmd/shardy/check_sharding.h"

namespace hilo::sdy {
namespace {

// "[\"a\"=2, \"b\"=4], device_ids=[...]" up to '>'.
Result<Mesh> meshBody(Scanner& in) {
  Mesh mesh;
  TRY_STATUS(in.list("[", "]", [&]() -> Status {
    Axis axis;
    TRY(axis.name, in.quoted());
    TRY_STATUS(in.expect("="));
    TRY(axis.size, in.number());
    mesh.axes.push_back(std::move(axis));
    return {};
  }));
  if (in.take(",")) {
    TRY_STATUS(in.expect("device_ids"));
    TRY_STATUS(in.expect("="));
    TRY_STATUS(in.list("[", "]", [&]() -> Status {
      TRY(const int64_t device, in.number());
      mesh.devices.push_back(device);
      return {};
    }));
  }
  TRY_STATUS(in.expect(">"));
  return mesh;
}

// What the shardings of one attribute are read with.
struct Reader {
  Scanner in;
  MeshTable& meshes;
  int64_t partitions;
  Owner owner;

  Result<size_t> meshIndex();
  Result<AxisRef> axis(const Mesh& mesh);
  Status axes(const Mesh& mesh, Axes& into);
  Result<DimensionSharding> dimension(const Mesh& mesh);
  Result<TensorSharding> sharding(Shape shape);
};

Result<size_t> Reader::meshIndex() {
  if (in.take("mesh<")) {
    TRY(Mesh mesh, meshBody(in));
    TRY_STATUS(checkMesh(mesh, partitions, owner));
    return meshes.add(std::move(mesh));
  }
  TRY_STATUS(in.expect("@"));
  std::string name;
  if (in.sees("\"")) {
    TRY(name, in.quoted());
  } else {
    name = std::string(in.word());
  }
  if (const auto found = meshes.find(name)) return *found;
  return in.error(fmt::format("the module has no mesh \"{}\"", name));
}

Result<AxisRef> Reader::axis(const Mesh& mesh) {
  TRY(const std::string name, in.quoted());
  const auto found = std::ranges::find(mesh.axes, name, &Axis::name);
  if (found == mesh.axes.end()) return in.error(fmt::format("the mesh has no axis \"{}\"", name));
  AxisRef ref{.axis = found - mesh.axes.begin(), .before = 1, .size = found->size};
  if (in.take(":")) {
    TRY_STATUS(in.expect("("));
    TRY(ref.before, in.number());
    TRY_STATUS(in.expect(")"));
    TRY(ref.size, in.number());
    TRY_STATUS(checkPart(*found, ref, owner));
  }
  return ref;
}

Status Reader::axes(const Mesh& mesh, Axes& into) {
  return in.list("{", "}", [&]() -> Status {
    TRY(const AxisRef ref, axis(mesh));
    into.push_back(ref);
    return {};
  });
}

// "{\"a\", \"b\":(1)2, ?}p1".
Result<DimensionSharding> Reader::dimension(const Mesh& mesh) {
  DimensionSharding dimension{.isClosed = true};
  TRY_STATUS(in.list("{", "}", [&]() -> Status {
    if (!dimension.isClosed) return in.error("nothing stands behind \"?\"");
    if (in.take("?")) {
      dimension.isClosed = false;
      return {};
    }
    TRY(const AxisRef ref, axis(mesh));
    dimension.axes.push_back(ref);
    return {};
  }));
  if (in.take("p")) {
    TRY(dimension.priority, in.number());
    if (dimension.priority < 0) return in.error("a priority below 0");
    if (dimension.isClosed && dimension.axes.empty())
      return in.error("a priority of a dimension that is closed and has no axis");
  }
  return dimension;
}

// "<@mesh, [...], replicated={...}, unreduced=max{...}>".
Result<TensorSharding> Reader::sharding(Shape shape) {
  TensorSharding sharding;
  TRY_STATUS(in.expect("<"));
  TRY(sharding.mesh, meshIndex());
  const Mesh mesh = meshes[sharding.mesh];
  TRY_STATUS(in.expect(","));
  TRY_STATUS(in.list("[", "]", [&]() -> Status {
    TRY(DimensionSharding read, dimension(mesh));
    sharding.dimensions.push_back(std::move(read));
    return {};
  }));
  while (in.take(",")) {
    const bool isReplicated = in.take("replicated");
    if (!isReplicated) TRY_STATUS(in.expect("unreduced"));
    TRY_STATUS(in.expect("="));
    if (!isReplicated && in.take("max")) sharding.reduction = NamedSharding::Reduction::Max;
    if (!isReplicated && in.take("min")) sharding.reduction = NamedSharding::Reduction::Min;
    TRY_STATUS(axes(mesh, isReplicated ? sharding.replicated : sharding.unreduced));
  }
  TRY_STATUS(in.expect(">"));
  TRY_STATUS(checkSharding(sharding, mesh, shape, owner));
  return sharding;
}

}  // namespace

Status readMeshes(std::string_view text, int64_t partitions, MeshTable& meshes) {
  Scanner in(text, nullptr);
  TRY_STATUS(in.list("{", "}", [&]() -> Status {
    std::string name;
    if (in.sees("\"")) {
      TRY(name, in.quoted());
    } else {
      name = std::string(in.word());
    }
    TRY_STATUS(in.expect("="));
    TRY_STATUS(in.expect("#sdy.mesh<"));
    TRY(Mesh mesh, meshBody(in));
    TRY_STATUS(checkMesh(mesh, partitions, nullptr));
    if (meshes.find(name)) return in.error(fmt::format("two meshes are called \"{}\"", name));
    mesh.name = std::move(name);
    meshes.add(std::move(mesh));
    return {};
  }));
  return in.expectEnd();
}

Result<TensorSharding> readSharding(std::string_view text, Shape shape, int64_t partitions, MeshTable& meshes,
                                    Owner owner) {
  Reader reader{Scanner(text, owner), meshes, partitions, owner};
  (void)reader.in.take("#sdy.sharding");
  TRY(TensorSharding sharding, reader.sharding(shape));
  TRY_STATUS(reader.in.expectEnd());
  return sharding;
}

Result<std::vector<TensorSharding>> readShardings(std::string_view text, std::span<const Shape> leaves,
                                                  int64_t partitions, MeshTable& meshes, Owner owner) {
  Reader reader{Scanner(text, owner), meshes, partitions, owner};
  const bool isNamed = reader.in.take("#sdy.sharding_per_value<");
  std::vector<TensorSharding> shardings;
  TRY_STATUS(reader.in.list("[", "]", [&]() -> Status {
    if (shardings.size() == leaves.size())
      return reader.in.error(fmt::format("there are only {} values", leaves.size()));
    TRY(TensorSharding sharding, reader.sharding(leaves[shardings.size()]));
    shardings.push_back(std::move(sharding));
    return {};
  }));
  if (isNamed) TRY_STATUS(reader.in.expect(">"));
  TRY_STATUS(reader.in.expectEnd());
  if (shardings.size() != leaves.size())
    return invalidSharding(owner, fmt::format("{} shardings for {} values", shardings.size(), leaves.size()));
  return shardings;
}

Result<std::vector<std::string>> readManualAxes(std::string_view text, Owner owner) {
  Scanner in(text, owner);
  const bool isNamed = in.take("#sdy<");
  (void)in.take("manual_axes");
  std::vector<std::string> names;
  TRY_STATUS(in.list("{", "}", [&]() -> Status {
    TRY(std::string name, in.quoted());
    names.push_back(std::move(name));
    return {};
  }));
  if (isNamed) TRY_STATUS(in.expect(">"));
  TRY_STATUS(in.expectEnd());
  return names;
}

Result<int64_t> readNumber(std::string_view text, Owner owner) {
  Scanner in(text, owner);
  TRY(const int64_t value, in.number());
  if (in.take(":")) in.word();
  TRY_STATUS(in.expectEnd());
  return value;
}

}  // namespace hilo::sdy
