// Overlays on a scene: what each shown node's colour is, from a fact about every instruction.
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/models/text_of.h"
#include "ui/views/graph/graph_scene.h"
#include "ui/views/graph/shown_places.h"

namespace hilo {
namespace {

// Amounts differ by many powers of ten: the ramp spans four, what is below has its lowest colour.
constexpr double kDecades = 4;

// For each group the sum over the instructions in it, or the most of them; a caller's amount is its own.
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
      amounts[at] =
          overlay.groupsHaveMost ? std::max(amounts[at], amount) : std::max(amounts[at], 0.0) + amount;
    }
  }
  return amounts;
}

QString amountText(const Overlay& overlay, double amount) {
  if (overlay.isBytes) return bytesText(static_cast<int64_t>(std::min(amount, 9e18)));
  if (overlay.isNanoseconds) return durationText(amount);
  return quantityText(amount);
}

OverlayLegend applyAmounts(const Grouping& grouping, const GraphRequest& request, const Overlay& overlay,
                           Scene& scene) {
  OverlayLegend legend{.title = QString::fromStdString(overlay.title)};
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

// How many instructions are of each category.
struct Counts {
  std::array<uint32_t, Overlay::kMostCategories> of{};
  uint32_t all = 0;

  void add(uint16_t category) {
    ++all;
    if (category < of.size()) ++of[category];
  }
  void add(const Counts& other) {
    all += other.all;
    for (size_t category = 0; category < of.size(); ++category) of[category] += other.of[category];
  }
  uint32_t counted() const {
    uint32_t sum = 0;
    for (const uint32_t count : of) sum += count;
    return sum;
  }
  // Most first.
  std::vector<std::pair<int16_t, float>> shares() const {
    std::vector<std::pair<int16_t, float>> shares;
    for (size_t category = 0; category < of.size(); ++category) {
      if (of[category] > 0)
        shares.emplace_back(static_cast<int16_t>(category),
                            static_cast<float>(of[category]) / static_cast<float>(counted()));
    }
    std::ranges::sort(shares, {}, [](const auto& share) { return std::pair(-share.second, share.first); });
    return shares;
  }
};

// What closed groups hold of each category: their instructions and all that these run; for queries what they
// fuse as well.
class CategoryCounter {
 public:
  CategoryCounter(const Grouping& grouping, const GraphRequest& request, const Overlay& overlay)
      : grouping_(grouping), overlay_(overlay), counts_(request.nodes.size()) {
    sumComputations();
    std::vector<uint32_t> shownAs(grouping.nodeCount(), kNoIndex);
    for (uint32_t i = 0; i < request.nodes.size(); ++i) shownAs[request.nodes[i]] = i;
    for (GroupId id = 0; id < grouping.nodeCount(); ++id) {
      if (grouping.node(id).kind != GroupKind::Instruction) continue;
      const uint32_t node = shownIn(id, shownAs);
      if (node != kNoIndex) addInstruction(*grouping.node(id).instruction, counts_[node]);
    }
  }
  const Counts& of(size_t node) const { return counts_[node]; }
  uint16_t categoryOf(const Instruction& instruction) const {
    const uint32_t id = instruction.id().value;
    return id < overlay_.category.size() ? overlay_.category[id] : Overlay::kNoCategory;
  }

 private:
  // Itself, or the group it is closed away in; what is within a closed caller that caller counts.
  uint32_t shownIn(GroupId id, const std::vector<uint32_t>& shownAs) const {
    GroupId at = id;
    while (shownAs[at] == kNoIndex) {
      at = grouping_.node(at).parent;
      if (at == kNoGroup || grouping_.node(at).kind == GroupKind::Instruction) return kNoIndex;
    }
    return shownAs[at];
  }

  void addInstruction(const Instruction& instruction, Counts& to) const {
    to.add(categoryOf(instruction));
    const bool looksInside = overlay_.areQueries || instruction.opcode() != Opcode::Fusion;
    if (!looksInside || !Grouping::isCaller(instruction)) return;
    for (const Computation* called : instruction.calledComputations()) {
      if (const auto known = totals_.find(called); known != totals_.end()) to.add(known->second);
    }
  }

  // Callees stand before callers in a module; in a broken one that does not hold, those count little.
  void sumComputations() {
    for (const Computation* computation : grouping_.module().computations()) {
      Counts total;
      for (const Instruction* instruction : computation->instructions()) addInstruction(*instruction, total);
      totals_.emplace(computation, total);
    }
  }

  const Grouping& grouping_;
  const Overlay& overlay_;
  absl::flat_hash_map<const Computation*, Counts> totals_;
  std::vector<Counts> counts_;
};

int16_t nodeCategory(uint16_t category) {
  return category == Overlay::kNoCategory ? kPlainNode : static_cast<int16_t>(category);
}

// A group has the category all in it share; where they differ a bar shows the shares. What holds a match of a
// query has its colour however little it is of the whole: it is what one looks for.
void colourNode(const CategoryCounter& counter, const Overlay& overlay, const GroupNode& group, size_t index,
                SceneNode& node) {
  const int16_t own =
      group.instruction == nullptr ? kPlainNode : nodeCategory(counter.categoryOf(*group.instruction));
  node.category = own;
  if (!node.group || node.open) return;
  auto shares = counter.of(index).shares();
  if (shares.empty()) return;
  if (own == kPlainNode && (shares.size() == 1 || overlay.areQueries)) node.category = shares[0].first;
  if (overlay.areQueries)
    node.subtitle = QStringLiteral("%1 of %2").arg(counter.of(index).counted()).arg(counter.of(index).all);
  if (shares.size() > 1) node.parts = std::move(shares);
}

OverlayLegend applyCategories(const Grouping& grouping, const GraphRequest& request, const Overlay& overlay,
                              Scene& scene) {
  OverlayLegend legend{.title = QString::fromStdString(overlay.title)};
  const CategoryCounter counter(grouping, request, overlay);
  for (size_t i = 0; i < scene.nodes.size(); ++i)
    colourNode(counter, overlay, grouping.node(request.nodes[i]), i, scene.nodes[i]);
  Counts counts;
  for (const uint16_t category : overlay.category) counts.add(category);
  for (size_t category = 0; category < overlay.categories.size(); ++category) {
    legend.categories.push_back(QString::fromStdString(overlay.categories[category]));
    legend.counts.push_back(counts.of[category]);
  }
  return legend;
}

// An edge that stands for several is marked where one of them is.
void markEdges(const Grouping& grouping, const GraphRequest& request, const Overlay& overlay, Scene& scene) {
  scene.edgeNotes.clear();
  for (SceneEdge& edge : scene.edges) edge.note = -1;
  if (overlay.edges.empty()) return;
  const ShownPlaces places(grouping, request);
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, int32_t> notes;
  for (const OverlayEdge& edge : overlay.edges) {
    const uint32_t from = places.of(edge.from).node, to = places.of(edge.to).node;
    if (from == kNoIndex || to == kNoIndex) continue;
    const auto [at, isNew] = notes.try_emplace({from, to}, static_cast<int32_t>(scene.edgeNotes.size()));
    const QString text = QString::fromStdString(edge.text);
    if (isNew) scene.edgeNotes.push_back(text);
    if (!isNew && !scene.edgeNotes[at->second].contains(text))
      scene.edgeNotes[at->second] += QStringLiteral("\n") + text;
  }
  for (SceneEdge& edge : scene.edges) {
    const auto found = notes.find({edge.from, edge.to});
    if (edge.kind == SceneEdgeKind::kData && found != notes.end()) edge.note = found->second;
  }
}

}  // namespace

OverlayLegend applyOverlay(const Grouping& grouping, const GraphRequest& request, const Overlay& overlay,
                           Scene& scene) {
  for (SceneEdge& edge : scene.edges) edge.category = -1;
  markEdges(grouping, request, overlay, scene);
  OverlayLegend legend = overlay.isAmount() ? applyAmounts(grouping, request, overlay, scene)
                                            : applyCategories(grouping, request, overlay, scene);
  if (!overlay.edges.empty()) legend.edges = countOf(overlay.edges.size(), overlay.edgesTitle.c_str());
  return legend;
}

}  // namespace hilo
