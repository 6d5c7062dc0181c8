#include "core/analysis/overlay/overlay.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "core/analysis/cost_facts.h"
#include "core/base/check.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

constexpr size_t kMaxCategories = Overlay::kMostCategories - 1;  // and one for the others

// The shape whose layout and type stand for an instruction's: of a tuple the first array in it.
Shape firstArray(Shape shape) {
  while (shape.isTuple() && !shape.tupleShapes().empty()) shape = shape.tupleShapes()[0];
  return shape;
}

std::string nameOf(const Instruction& instruction, OverlayKind kind) {
  std::string name;
  switch (kind) {
    case OverlayKind::Sharding:
      if (const Sharding* sharding = instruction.get<Attr::Sharding>(); sharding != nullptr)
        appendSharding(name, *sharding, false);
      return name;
    case OverlayKind::Layout:
      if (const Shape shape = firstArray(instruction.shape()); shape.isArray() && shape.layout() != nullptr)
        appendLayout(name, *shape.layout());
      return name;
    default: {
      const Shape shape = firstArray(instruction.shape());
      if (shape.isArray()) name = elementTypeName(shape.elementType());
      return name;
    }
  }
}

std::vector<std::string> namesOf(const Module& module, OverlayKind kind) {
  std::vector<std::string> names;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      const uint32_t id = instruction->id().value;
      if (id >= names.size()) names.resize(id + 1);
      names[id] = nameOf(*instruction, kind);
    }
  }
  return names;
}

template <typename Amount>
void fillAmounts(const Module& module, Overlay& overlay, Amount amount) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      const uint32_t id = instruction->id().value;
      if (id >= overlay.amounts.size()) overlay.amounts.resize(id + 1, -1);
      overlay.amounts[id] = static_cast<double>(amount(*instruction));
    }
  }
}

}  // namespace

Overlay makeNameOverlay(std::string title, const std::vector<std::string>& names) {
  absl::flat_hash_map<std::string_view, std::vector<uint32_t>> having;
  for (uint32_t id = 0; id < names.size(); ++id) {
    if (!names[id].empty()) having[names[id]].push_back(id);
  }
  std::vector<std::pair<std::string_view, std::vector<uint32_t>>> order(having.begin(), having.end());
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::pair(b.second.size(), a.first) < std::pair(a.second.size(), b.first);
  });
  Overlay overlay;
  overlay.title = std::move(title);
  overlay.category.assign(names.size(), Overlay::kNoCategory);
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t category = std::min(i, kMaxCategories);
    if (category == overlay.categories.size())
      overlay.categories.emplace_back(i < kMaxCategories ? order[i].first : "others");
    for (uint32_t id : order[i].second) overlay.category[id] = static_cast<uint16_t>(category);
  }
  if (overlay.categories.empty()) overlay.categories.emplace_back("none");
  return overlay;
}

Overlay makeQueryOverlay(const Module& module, std::span<const Query> queries, const ModuleCost* cost) {
  Overlay overlay;
  overlay.title = "queries";
  overlay.areQueries = true;
  overlay.category.assign(module.idLimit(), Overlay::kNoCategory);
  for (const Query& query : queries.first(std::min(queries.size(), Overlay::kMostCategories))) {
    const auto category = static_cast<uint16_t>(overlay.categories.size());
    overlay.categories.push_back(query.text());
    for (const Instruction* match : QueryMatcher(query, module, cost).all()) {
      uint16_t& of = overlay.category[match->id().value];
      if (of == Overlay::kNoCategory) of = category;
    }
  }
  return overlay;
}

Overlay makeOverlay(const Module& module, OverlayKind kind) {
  Overlay overlay;
  switch (kind) {
    case OverlayKind::OutputBytes:
      overlay.title = "output bytes";
      overlay.isBytes = true;
      fillAmounts(module, overlay, [](const Instruction& at) { return at.shape().byteSize(); });
      return overlay;
    case OverlayKind::Flops:
    case OverlayKind::BytesAccessed: {
      const ModuleCost cost(module);
      overlay.isBytes = kind == OverlayKind::BytesAccessed;
      overlay.title = overlay.isBytes ? "bytes accessed" : "flops";
      fillAmounts(module, overlay, [&](const Instruction& at) {
        return overlay.isBytes ? cost.of(at).bytesAccessed : cost.of(at).flops;
      });
      return overlay;
    }
    case OverlayKind::Sharding:
      return makeNameOverlay("sharding", namesOf(module, kind));
    case OverlayKind::Layout:
      return makeNameOverlay("layout", namesOf(module, kind));
    case OverlayKind::Precision:
      return makeNameOverlay("element type", namesOf(module, kind));
    case OverlayKind::None:
    case OverlayKind::Given:
      CHECK(false, "not made from the module alone");
  }
  return overlay;
}

}  // namespace hilo
