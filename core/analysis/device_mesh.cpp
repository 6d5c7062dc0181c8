#include "core/analysis/device_mesh.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

namespace hilo {
namespace {

constexpr int64_t kMostDevices = int64_t{1} << 20;

// Reads `"name"=4` from the text on; false where there is none. Quotes may be escaped, as in HLO text.
bool readAxis(std::string_view& text, DeviceMesh::Axis& axis) {
  const auto skip = [&](std::string_view any) {
    const size_t first = text.find_first_not_of(any);
    text.remove_prefix(std::min(first, text.size()));
  };
  skip(" ,\\");
  if (!text.starts_with('"')) return false;
  text.remove_prefix(1);
  const size_t end = text.find('"');
  if (end == std::string_view::npos) return false;
  std::string_view name = text.substr(0, end);
  if (name.ends_with('\\')) name.remove_suffix(1);
  text.remove_prefix(end + 1);
  if (!text.starts_with('=')) return false;
  const auto [rest, error] = std::from_chars(text.data() + 1, text.data() + text.size(), axis.size);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(rest - text.data()));
  axis.name = name;
  return true;
}

int64_t sizeOf(const std::vector<DeviceMesh::Axis>& axes) {
  int64_t size = 1;
  for (const DeviceMesh::Axis& axis : axes) {
    if (axis.size <= 0 || axis.size > kMostDevices / size) return 0;
    size *= axis.size;
  }
  return size;
}

// The device_ids=[...] of a mesh; the first so many where there are none.
std::vector<int64_t> idsOf(std::string_view text, int64_t count) {
  std::vector<int64_t> ids;
  constexpr std::string_view kKey = "device_ids=[";
  if (const size_t at = text.find(kKey); at != std::string_view::npos) {
    text = text.substr(at + kKey.size());
    text = text.substr(0, text.find(']'));
    while (!text.empty() && static_cast<int64_t>(ids.size()) < count) {
      int64_t id = 0;
      const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), id);
      if (error != std::errc() || id < 0 || id >= count) return {};
      ids.push_back(id);
      const size_t next = text.find_first_of("0123456789", static_cast<size_t>(rest - text.data()));
      text.remove_prefix(std::min(next, text.size()));
    }
    return static_cast<int64_t>(ids.size()) == count ? ids : std::vector<int64_t>();
  }
  ids.resize(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), int64_t{0});
  return ids;
}

// Of xla.sdy.meshes={mesh = #sdy.mesh<["a"=2, "b"=2]>, ...} the one of so many devices.
std::optional<DeviceMesh> shardyMesh(std::string_view text, int64_t count) {
  constexpr std::string_view kStart = "#sdy.mesh<[";
  for (size_t at = text.find(kStart); at != std::string_view::npos; at = text.find(kStart, at + 1)) {
    std::string_view head = text.substr(0, at);
    const size_t end = head.find_last_not_of(" =");
    head = end == std::string_view::npos ? std::string_view() : head.substr(0, end + 1);
    DeviceMesh mesh{.name = std::string(head.substr(head.find_last_of(" {,") + 1))};
    std::string_view rest = text.substr(at + kStart.size());
    for (DeviceMesh::Axis axis; readAxis(rest, axis);) mesh.axes.push_back(axis);
    mesh.devices = idsOf(rest.substr(0, rest.find('>')), sizeOf(mesh.axes));
    if (static_cast<int64_t>(mesh.devices.size()) == count) return mesh;
  }
  return std::nullopt;
}

std::optional<DeviceMesh> namedMesh(const Sharding& sharding, int64_t count) {
  for (const Sharding& element : sharding.elements) {
    if (auto mesh = namedMesh(element, count)) return mesh;
  }
  if (sharding.named == nullptr) return std::nullopt;
  const Mesh& from = sharding.named->mesh;
  DeviceMesh mesh{.name = "mesh"};
  for (const MeshAxis& axis : from.axes) mesh.axes.push_back({std::string(axis.name), axis.size});
  if (sizeOf(mesh.axes) != count) return std::nullopt;
  if (!from.deviceIds.empty()) {
    mesh.devices.assign(from.deviceIds.begin(), from.deviceIds.end());
  } else if (from.hasIota) {
    mesh.devices = iotaDevices(from.iota);
  } else {
    mesh.devices = idsOf("", count);
  }
  return static_cast<int64_t>(mesh.devices.size()) == count ? std::optional(mesh) : std::nullopt;
}

// The products of the sizes after each place: where a row-major list of devices is cut.
void addCuts(std::span<const int64_t> sizes, std::vector<int64_t>& cuts) {
  int64_t product = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] <= 0 || sizes[i] > kMostDevices / product) return;
    product *= sizes[i];
    cuts.push_back(product);
  }
}

void addCuts(const Sharding& sharding, std::vector<int64_t>& cuts) {
  for (const Sharding& element : sharding.elements) addCuts(element, cuts);
  if (sharding.type != Sharding::Type::Tiled) return;
  if (!sharding.hasIota || sharding.iota.transposePermutation.empty()) addCuts(sharding.tileDimensions, cuts);
  if (sharding.hasIota) addCuts(sharding.iota.reshapeDimensions, cuts);
}

// Axes between the cuts, as far as each divides the next.
DeviceMesh meshOfCuts(std::vector<int64_t> cuts, int64_t count) {
  std::ranges::sort(cuts);
  DeviceMesh mesh{.devices = idsOf("", count)};
  int64_t done = 1;
  std::vector<int64_t> sizes;
  cuts.push_back(count);
  for (const int64_t cut : cuts) {
    if (cut <= done || cut % done != 0 || count % cut != 0) continue;
    sizes.push_back(cut / done);
    done = cut;
  }
  for (size_t i = sizes.size(); i-- > 0;)
    mesh.axes.push_back({fmt::format("axis_{}", mesh.axes.size()), sizes[i]});
  return mesh;
}

template <typename Visit>
void forEachSharding(const Module& module, Visit visit) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (const Sharding* sharding = i->get<Attr::Sharding>()) visit(*sharding);
    }
  }
}

std::optional<DeviceMesh> statedMesh(const Module& module, int64_t count) {
  for (const FrontendAttribute& attribute : module.get<Attr::FrontendAttributes>()) {
    if (attribute.name == "xla.sdy.meshes" || attribute.name == kSpreadMeshes) {
      if (auto mesh = shardyMesh(attribute.value, count)) return mesh;
    }
  }
  std::optional<DeviceMesh> found;
  forEachSharding(module, [&](const Sharding& sharding) {
    if (!found) found = namedMesh(sharding, count);
  });
  return found;
}

}  // namespace

DeviceMesh deviceMesh(const Module& module) {
  const int64_t count = module.partitionCount();
  if (count <= 0 || count > kMostDevices) return {};
  auto mesh = statedMesh(module, count);
  if (!mesh) {
    std::vector<int64_t> cuts;
    forEachSharding(module, [&](const Sharding& sharding) { addCuts(sharding, cuts); });
    mesh = meshOfCuts(std::move(cuts), count);
  }
  std::erase_if(mesh->axes, [](const DeviceMesh::Axis& axis) { return axis.size == 1; });
  return *std::move(mesh);
}

std::string axesText(const std::vector<AxisNames>& dimensions) {
  std::vector<std::string> parts;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (!dimensions[d].empty())
      parts.push_back(fmt::format("dimension {} along {}", d, fmt::join(dimensions[d], ", ")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace hilo
