#include "ui/views/kernel_layouts/drawn_layout.h"

#include <algorithm>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"

namespace hilo {
namespace {

constexpr int64_t kWrappedColumns = 32;
constexpr int64_t kMemoryRowBits = kSharedBanks * kBankBytes * 8;

int64_t bankOf(const SharedMap& shared, const Sizes& index) {
  return shared.byteOf(index) / kBankBytes % kSharedBanks;
}

// The number that a facet gives an element, and how many numbers there are.
int64_t facetOf(const DrawnLayout& layout, LayoutFacet facet, int64_t element) {
  if (facet == LayoutFacet::kBank) return bankOf(*layout.shared, layout.indexOf(element));
  if (facet == LayoutFacet::kConflicts) return layout.conflicts[static_cast<size_t>(element)];
  const RegisterPlace place = layout.placesOf(element).front();
  switch (facet) {
    case LayoutFacet::kThread:
      return place.warp * kLanesOfWarp + place.lane;
    case LayoutFacet::kWarp:
      return place.warp;
    case LayoutFacet::kLane:
      return place.lane;
    case LayoutFacet::kRegister:
      return place.reg;
    case LayoutFacet::kSlot:
    case LayoutFacet::kBank:
    case LayoutFacet::kConflicts:
      break;
  }
  return place.slot;
}

QColor mixed(const QColor& from, const QColor& to, double share) {
  const auto channel = [&](int a, int b) { return static_cast<int>(a + (b - a) * share); };
  return QColor(channel(from.red(), to.red()), channel(from.green(), to.green()),
                channel(from.blue(), to.blue()));
}

// Warps differ by hue, lanes within a warp by how strong it is: the pale end is lane 0.
QColor threadColour(int64_t warp, int64_t lane, bool dark) {
  const NodeColours colours = categoryColours(static_cast<size_t>(warp), dark);
  return mixed(colours.fill, colours.border, static_cast<double>(lane) / (kLanesOfWarp - 1));
}

// Of `most`, the largest number that the facet gives an element.
QColor facetColour(LayoutFacet facet, int64_t value, int64_t most, bool dark) {
  switch (facet) {
    case LayoutFacet::kThread:
      return threadColour(value / kLanesOfWarp, value % kLanesOfWarp, dark);
    case LayoutFacet::kLane:
      return heatColour(static_cast<double>(value) / (kLanesOfWarp - 1), dark);
    case LayoutFacet::kBank:
      return heatColour(static_cast<double>(value) / (kSharedBanks - 1), dark);
    case LayoutFacet::kConflicts:
      return heatColour(most == 0 ? 0.0 : static_cast<double>(value) / static_cast<double>(most), dark);
    default:
      return categoryColours(static_cast<size_t>(value), dark).fill;
  }
}

// "warp 0, lane 12, register 5, slot 1, also in 3 other threads", "row 12, column 5".
QString placeText(const DrawnLayout& layout, int64_t element) {
  const auto places = layout.placesOf(element);
  const RegisterPlace& first = places.front();
  if (layout.isTensor)
    return QString("row %1, column %2").arg(first.warp * kLanesOfWarp + first.lane).arg(first.reg);
  QString text = QString("warp %1, lane %2, register %3, slot %4")
                     .arg(first.warp)
                     .arg(first.lane)
                     .arg(first.reg)
                     .arg(first.slot);
  if (places.size() > 1)
    text += QString(", also in %1").arg(countOf(places.size() - 1, "other thread", "other threads"));
  return text;
}

}  // namespace

Result<DrawnLayout> drawnLayout(const std::optional<RegisterLayout>& registers,
                                const std::optional<SharedLayout>& shared, const Sizes& shape,
                                int64_t elementBits) {
  TRY(RegisterMap map, RegisterMap::of(registers.value_or(SplatLayout{shape}), shape));
  if (elementCount(shape) > kMostDrawnElements)
    return fail("kernel-shape", "arrays of more than 262,144 elements are not drawn", {},
                {"a layout repeats itself: a multiple of its first tile shows all of it"});
  DrawnLayout drawn{.registers = std::move(map), .isHeld = registers.has_value()};
  if (!shared) return drawn;
  TRY(drawn.shared, SharedMap::of(*shared, shape, elementBits));
  if (!drawn.isHeld) return drawn;
  TRY(drawn.transfer, planTransfer(drawn.registers, *drawn.shared));
  drawn.conflicts.assign(static_cast<size_t>(drawn.elements()), 0);
  for (const WarpAccess& access : drawn.transfer->accesses)
    for (const int64_t element : drawn.elementsOf(access))
      drawn.conflicts[static_cast<size_t>(element)] = access.wavefronts - access.least;
  return drawn;
}

std::vector<int64_t> DrawnLayout::elementsOf(int64_t warp, int64_t lane) const {
  std::vector<int64_t> held;
  RegisterPlace place{.warp = warp, .lane = lane};
  for (; place.reg < registers.registersPerThread(); ++place.reg)
    for (place.slot = 0; place.slot < registers.vectorLength(); ++place.slot) {
      const auto index = registers.elementAt(place);
      if (index) held.push_back(linearIndex(*index, registers.shape()));
    }
  return held;
}

std::vector<int64_t> DrawnLayout::elementsOf(const WarpAccess& access) const {
  std::vector<int64_t> moved;
  const int64_t last = access.slot + access.bytes * 8 / shared->elementBits();
  for (RegisterPlace place{.warp = access.warp, .reg = access.reg}; place.lane < kLanesOfWarp; ++place.lane)
    for (place.slot = access.slot; place.slot < last; ++place.slot)
      if (const auto index = registers.elementAt(place))
        moved.push_back(linearIndex(*index, registers.shape()));
  return moved;
}

ElementGrid arrayGrid(const DrawnLayout& layout) {
  const Sizes& shape = layout.registers.shape();
  ElementGrid grid;
  grid.columns = shape.size() > 1 ? shape.back() : std::min(kWrappedColumns, layout.elements());
  const int64_t rows = (layout.elements() + grid.columns - 1) / grid.columns;
  grid.cells.assign(static_cast<size_t>(rows * grid.columns), -1);
  for (int64_t i = 0; i < layout.elements(); ++i) grid.cells[static_cast<size_t>(i)] = i;
  return grid;
}

ElementGrid memoryGrid(const DrawnLayout& layout) {
  const int64_t bits = layout.shared->elementBits();
  ElementGrid grid{.columns = kMemoryRowBits / bits};
  const int64_t rows = (layout.elements() + grid.columns - 1) / grid.columns;
  grid.cells.assign(static_cast<size_t>(rows * grid.columns), -1);
  for (int64_t i = 0; i < layout.elements(); ++i)
    grid.cells[static_cast<size_t>(layout.shared->bitOf(layout.indexOf(i)) / bits)] = i;
  return grid;
}

ElementGrid tensorGrid(const DrawnLayout& layout) {
  const RegisterMap& map = layout.registers;
  ElementGrid grid{.columns = map.registersPerThread() * map.vectorLength()};
  for (RegisterPlace place; place.warp < kWarpsOfWarpgroup; ++place.warp)
    for (place.lane = 0; place.lane < kLanesOfWarp; ++place.lane)
      for (place.reg = 0; place.reg < map.registersPerThread(); ++place.reg)
        for (place.slot = 0; place.slot < map.vectorLength(); ++place.slot) {
          const auto index = map.elementAt(place);
          grid.cells.push_back(index ? linearIndex(*index, map.shape()) : -1);
        }
  return grid;
}

QString whyNoFacet(const DrawnLayout& layout, LayoutFacet facet) {
  if (facet == LayoutFacet::kBank)
    return layout.shared ? "" : "Banks are those of shared memory: say how the array lies there.";
  if (facet == LayoutFacet::kConflicts)
    return layout.transfer ? "" : "Bank conflicts are those of a copy between registers and shared memory.";
  return layout.isHeld ? "" : "No thread holds the elements: their colours are those of banks.";
}

std::vector<QRgb> elementColours(const DrawnLayout& layout, LayoutFacet facet, bool dark) {
  std::vector<QRgb> colours;
  colours.reserve(static_cast<size_t>(layout.elements()));
  const int64_t most = layout.conflicts.empty() ? 0 : std::ranges::max(layout.conflicts);
  for (int64_t i = 0; i < layout.elements(); ++i)
    colours.push_back(facetColour(facet, facetOf(layout, facet, i), most, dark).rgb());
  return colours;
}

QString facetText(const DrawnLayout& layout, LayoutFacet facet, int64_t element) {
  const int64_t value = facetOf(layout, facet, element);
  if (facet != LayoutFacet::kThread) return QString::number(value);
  return QString("%1.%2").arg(value / kLanesOfWarp).arg(value % kLanesOfWarp);
}

QString elementText(const DrawnLayout& layout, int64_t element) {
  const Sizes index = layout.indexOf(element);
  QStringList digits;
  for (const int64_t digit : index) digits << QString::number(digit);
  QString text = QString("[%1]").arg(digits.join(", "));
  if (layout.isHeld) text += ": " + placeText(layout, element);
  if (layout.shared)
    text += QString("%1 shared memory byte %2, bank %3")
                .arg(layout.isHeld ? ";" : ":")
                .arg(layout.shared->byteOf(index))
                .arg(bankOf(*layout.shared, index));
  return text;
}

}  // namespace hilo
