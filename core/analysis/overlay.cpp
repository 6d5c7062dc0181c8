#include "core/analysis/overlay.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "core/analysis/cost_facts.h"
#include "core/base/check.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

constexpr size_t kMaxCategories = 11;  // and one for the others

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

void fillCategories(const Module& module, OverlayKind kind, Overlay& overlay) {
  absl::flat_hash_map<std::string, std::vector<uint32_t>> having;
  uint32_t idBound = 0;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      idBound = std::max(idBound, instruction->id().value + 1);
      std::string name = nameOf(*instruction, kind);
      if (!name.empty()) having[std::move(name)].push_back(instruction->id().value);
    }
  }
  std::vector<std::pair<std::string, std::vector<uint32_t>>> order(having.begin(), having.end());
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::pair(b.second.size(), std::string_view(a.first)) <
           std::pair(a.second.size(), std::string_view(b.first));
  });
  overlay.category.assign(idBound, Overlay::kNoCategory);
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t category = std::min(i, kMaxCategories);
    if (category == overlay.categories.size())
      overlay.categories.push_back(i < kMaxCategories ? order[i].first : "others");
    for (uint32_t id : order[i].second) overlay.category[id] = static_cast<uint16_t>(category);
  }
  if (overlay.categories.empty()) overlay.categories.push_back("none");
}

}  // namespace

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
      overlay.title = "sharding";
      break;
    case OverlayKind::Layout:
      overlay.title = "layout";
      break;
    case OverlayKind::Precision:
      overlay.title = "element type";
      break;
    case OverlayKind::None:
    case OverlayKind::Column:
      CHECK(false, "not made from the module alone");
  }
  fillCategories(module, kind, overlay);
  return overlay;
}

}  // namespace hilo
