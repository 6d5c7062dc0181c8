// A module's shardings over another number of devices, where they all run along one axis.
#include "core/hlo/text/print.h"
#include "core/workspace/partition/partition_series.h"

namespace hilo {
namespace {

std::unexpected<Diagnostic> cannot(int64_t devices, std::string why, std::vector<std::string> notes = {}) {
  return fail("bad-device-count", fmt::format("not for {} devices: {}", devices, why), {}, std::move(notes));
}

// The same of a named mesh of one axis, whole.
bool rescaleNamed(Sharding& sharding, int64_t from, int64_t to, Arena& arena) {
  NamedSharding named = *sharding.named;
  const auto isPart = [](const NamedDimensionSharding& dimension) {
    return std::ranges::any_of(dimension.axes, [](const AxisRef& axis) { return axis.subSize != 0; });
  };
  if (named.mesh.hasIota || !named.mesh.deviceIds.empty() || std::ranges::any_of(named.dimensions, isPart))
    return false;
  std::vector<MeshAxis> axes(named.mesh.axes.begin(), named.mesh.axes.end());
  const auto isLong = [](const MeshAxis& axis) { return axis.size != 1; };
  const auto cut = std::ranges::find_if(axes, isLong);
  if (std::ranges::count_if(axes, isLong) != 1 || cut->size != from) return false;
  cut->size = to;
  named.mesh.axes = arena.copy(std::span<const MeshAxis>(axes));
  sharding.named = arena.copy(std::span<const NamedSharding>(&named, 1)).data();
  return true;
}

// The sharding over `to` devices: the one number of tiles that is the number of devices becomes `to`. False
// where it runs along several axes.
bool rescale(Sharding& sharding, int64_t from, int64_t to, Arena& arena) {
  if (sharding.type == Sharding::Type::Tuple) {
    std::vector<Sharding> elements(sharding.elements.begin(), sharding.elements.end());
    for (Sharding& element : elements) {
      if (!rescale(element, from, to, arena)) return false;
    }
    sharding.elements = arena.copy(std::span<const Sharding>(elements));
    return true;
  }
  if (sharding.named != nullptr) return rescaleNamed(sharding, from, to, arena);
  if (sharding.type != Sharding::Type::Tiled) return sharding.type != Sharding::Type::Maximal;
  std::vector<int64_t> tiles(sharding.tileDimensions.begin(), sharding.tileDimensions.end());
  const auto isAlong = [](int64_t n) { return n != 1; };
  if (std::ranges::count_if(tiles, isAlong) != 1) return false;
  const auto cut = std::ranges::find_if(tiles, isAlong);
  if (*cut != from || !sharding.hasIota || !sharding.iota.transposePermutation.empty()) return false;
  *cut = to;
  sharding.tileDimensions = arena.copy(std::span<const int64_t>(tiles));
  sharding.iota.reshapeDimensions = arena.copy(std::span<const int64_t>(&to, 1));
  return true;
}

// "fsdp"=8 becomes "fsdp"=4 in the meshes that Shardy reads.
void rescaleMeshes(Module& module, const std::string& axis, int64_t from, int64_t to) {
  std::vector<FrontendAttribute> attributes;
  std::vector<std::string> texts;
  for (const FrontendAttribute& attribute : module.get<Attr::FrontendAttributes>()) {
    attributes.push_back(attribute);
    texts.emplace_back(attribute.value);
    if (attribute.name != "xla.sdy.meshes") continue;
    const std::string old = fmt::format("\"{}\"={}", axis, from);
    if (const size_t at = texts.back().find(old); at != std::string::npos)
      texts.back().replace(at, old.size(), fmt::format("\"{}\"={}", axis, to));
  }
  for (size_t i = 0; i < attributes.size(); ++i) attributes[i].value = texts[i];
  if (!attributes.empty()) module.set<Attr::FrontendAttributes>(attributes);
}

}  // namespace

Result<std::shared_ptr<const Module>> forDevices(const Module& module, int64_t devices) {
  constexpr int64_t kMost = int64_t{1} << 20;
  const int64_t from = module.partitionCount();
  if (devices < 2 || devices > kMost) return cannot(devices, "2 to 1,048,576 are possible");
  if (from < 2)
    return cannot(devices, "the module is of one partition", {"only its shardings say what is cut"});
  const DeviceMesh mesh = deviceMesh(module);
  if (mesh.axes.size() != 1) {
    return cannot(
        devices, fmt::format("its shardings run along {}, and which is to grow is not known", meshText(mesh)),
        {"dump the module for as many devices, or give shardings that run along one axis"});
  }
  std::shared_ptr<Module> made = module.clone();
  made->set<Attr::NumPartitions>(devices);
  rescaleMeshes(*made, mesh.axes[0].name, from, devices);
  Arena arena;
  for (Computation* computation : made->computations()) {
    for (Instruction* i : computation->instructions()) {
      const Sharding* old = i->get<Attr::Sharding>();
      if (old == nullptr) continue;
      Sharding sharding = *old;
      if (!rescale(sharding, from, devices, arena)) {
        std::string text;
        appendSharding(text, *old);
        return cannot(devices, fmt::format("{} has {}", i->name(), text),
                      {"only shardings along one axis, in the order of the devices, can be stretched"});
      }
      i->set<Attr::Sharding>(&sharding);
    }
  }
  return made;
}

}  // namespace hilo
