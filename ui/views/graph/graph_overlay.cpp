// Overlays on a scene: what each shown node's colour is, from a fact about every instruction.
#include <algorithm>
#include <cmath>

#include "ui/models/text_of.h"
#include "ui/views/graph/graph_scene.h"

namespace hilo {
namespace {

// Amounts differ by many powers of ten: the ramp spans four, what is below has its lowest colour.
constexpr double kDecades = 4;

// For each group the sum over the instructions in it; a caller's amount is its own.
std::vector<double> groupAmounts(const Grouping& grouping, const Overlay& overlay) {
  std::vector<double> amounts(grouping.nodeCount(), -1);
  for (GroupId id = 0; id < grouping.nodeCount(); ++id) {
    const GroupNode& node = grouping.node(id);
    if (node.kind != GroupKind::Instruction) continue;
    const uint32_t instruction = node.instruction->id().value;
    if (instruction >= overlay.amounts.size() || overlay.amounts[instruction] < 0) continue;
    const double amount = overlay.amounts[instruction];
    amounts[id] = amount;
    for (GroupId at = node.parent; at != kNoGroup; at = grouping.node(at).parent) {
      if (grouping.node(at).kind == GroupKind::Instruction) break;
      amounts[at] = std::max(amounts[at], 0.0) + amount;
    }
  }
  return amounts;
}

// For each group the category that all in it share; kPlainNode where they differ or have none.
std::vector<int16_t> groupCategories(const Grouping& grouping, const Overlay& overlay) {
  constexpr int16_t kNotSeen = -1;
  std::vector<int16_t> categories(grouping.nodeCount(), kNotSeen);
  for (GroupId id = 0; id < grouping.nodeCount(); ++id) {
    const GroupNode& node = grouping.node(id);
    if (node.kind != GroupKind::Instruction) continue;
    const uint32_t instruction = node.instruction->id().value;
    const uint16_t known =
        instruction < overlay.category.size() ? overlay.category[instruction] : Overlay::kNoCategory;
    if (known == Overlay::kNoCategory) continue;
    const auto category = static_cast<int16_t>(known);
    categories[id] = category;
    for (GroupId at = node.parent; at != kNoGroup; at = grouping.node(at).parent) {
      if (grouping.node(at).kind == GroupKind::Instruction) break;
      categories[at] = categories[at] == kNotSeen || categories[at] == category ? category : kPlainNode;
    }
  }
  std::ranges::replace(categories, kNotSeen, kPlainNode);
  return categories;
}

QString amountText(const Overlay& overlay, double amount) {
  if (overlay.isBytes) return bytesText(static_cast<qint64>(std::min(amount, 9e18)));
  if (overlay.isNanoseconds) return durationText(static_cast<int64_t>(std::min(amount, 9e18)));
  return countText(amount);
}

}  // namespace

OverlayLegend applyOverlay(const Grouping& grouping, const GraphRequest& request, const Overlay& overlay,
                           Scene& scene) {
  OverlayLegend legend{QString::fromStdString(overlay.title), {}, {}, {}};
  for (SceneEdge& edge : scene.edges) edge.category = -1;
  if (!overlay.isAmount()) {
    const std::vector<int16_t> categories = groupCategories(grouping, overlay);
    for (size_t i = 0; i < scene.nodes.size(); ++i) scene.nodes[i].category = categories[request.nodes[i]];
    for (const std::string& name : overlay.categories)
      legend.categories.push_back(QString::fromStdString(name));
    return legend;
  }
  const std::vector<double> amounts = groupAmounts(grouping, overlay);
  double most = 0;
  for (size_t i = 0; i < scene.nodes.size(); ++i) {
    if (!scene.nodes[i].open) most = std::max(most, amounts[request.nodes[i]]);
  }
  for (size_t i = 0; i < scene.nodes.size(); ++i) {
    SceneNode& node = scene.nodes[i];
    const double amount = amounts[request.nodes[i]];
    node.category = amount <= 0 ? kPlainNode : int16_t{-1};
    if (amount <= 0) continue;
    node.heat = static_cast<float>(std::clamp(1 + std::log10(amount / most) / kDecades, 0.0, 1.0));
    node.subtitle = amountText(overlay, amount);
  }
  legend.low = QStringLiteral("≤ ") + amountText(overlay, most / std::pow(10, kDecades));
  legend.high = amountText(overlay, most);
  return legend;
}

}  // namespace hilo
