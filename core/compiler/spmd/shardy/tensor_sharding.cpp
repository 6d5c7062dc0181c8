#include "core/compiler/spmd/shardy/tensor_sharding.h"

namespace hilo::sdy {
namespace {

std::string listText(const Mesh& mesh, std::span<const AxisRef> axes) {
  std::string text;
  for (const AxisRef& axis : axes) text += (text.empty() ? "" : ", ") + toString(mesh, axis);
  return text;
}

}  // namespace

bool TensorSharding::isClosed() const {
  return std::ranges::all_of(dimensions, &DimensionSharding::isClosed);
}

TensorSharding plainSharding(size_t mesh, size_t rank, bool isClosed) {
  return {.mesh = mesh,
          .dimensions = std::vector<DimensionSharding>(rank, DimensionSharding{.isClosed = isClosed})};
}

Axes axesOf(const TensorSharding& sharding) {
  Axes all = sharding.replicated;
  all.insert(all.end(), sharding.unreduced.begin(), sharding.unreduced.end());
  for (const DimensionSharding& dimension : sharding.dimensions)
    all.insert(all.end(), dimension.axes.begin(), dimension.axes.end());
  return all;
}

std::string toString(const Mesh& mesh, const TensorSharding& sharding) {
  std::string text = "[";
  for (const DimensionSharding& dimension : sharding.dimensions) {
    if (text.size() > 1) text += ", ";
    std::string axes = listText(mesh, dimension.axes);
    if (!dimension.isClosed) axes += axes.empty() ? "?" : ", ?";
    text += "{" + axes + "}";
    if (dimension.priority > 0) text += fmt::format("p{}", dimension.priority);
  }
  text += "]";
  if (!sharding.replicated.empty())
    text += fmt::format(", replicated={{{}}}", listText(mesh, sharding.replicated));
  constexpr std::string_view kReductions[] = {"", "max", "min"};
  if (!sharding.unreduced.empty())
    text += fmt::format(", unreduced={}{{{}}}", kReductions[static_cast<size_t>(sharding.reduction)],
                        listText(mesh, sharding.unreduced));
  return text;
}

size_t MeshTable::add(Mesh mesh) {
  const auto same = std::ranges::find_if(meshes_, [&](const Mesh& other) { return other.sameDevices(mesh); });
  const auto index = static_cast<size_t>(same - meshes_.begin());
  if (!mesh.name.empty()) names_.emplace_back(mesh.name, index);
  if (same == meshes_.end()) meshes_.push_back(std::move(mesh));
  return index;
}

std::optional<size_t> MeshTable::find(std::string_view name) const {
  for (const auto& [known, index] : names_) {
    if (known == name) return index;
  }
  return std::nullopt;
}

}  // namespace hilo::sdy
