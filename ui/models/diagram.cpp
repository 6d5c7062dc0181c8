#include "ui/models/diagram.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/physical_layout.h"
#include "core/analysis/sharding_parts.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

// Rows and columns of a layout: enough for two tiles of eight, and for the order where there are none.
constexpr int64_t kShownTiled = 16;
constexpr int64_t kShownPlain = 8;
constexpr int64_t kShownParts = 32;  // of a sharding, of groups
constexpr size_t kShownDevices = 6;
constexpr size_t kShownElements = 8;  // of a tuple

QString listText(std::span<const int64_t> items) {
  QStringList parts;
  for (size_t n = 0; n < std::min(items.size(), kShownDevices); ++n) parts << QString::number(items[n]);
  if (items.size() > kShownDevices) parts << "...";
  return parts.join(",");
}

// The innermost tile's sizes along the last two dimensions in memory; 0 where there is none.
std::pair<int64_t, int64_t> tileOf(const PhysicalLayout& layout) {
  if (layout.tiles.empty()) return {0, 0};
  const std::vector<int64_t>& tile = layout.tiles.front();
  return {tile.size() > 1 ? tile[tile.size() - 2] : 0, tile.back()};
}

// What part of a dimension of `size` elements part `n` of `count` is: XLA rounds parts up.
QString partText(int64_t size, int64_t n, int64_t count) {
  const int64_t part = size / count + (size % count != 0);
  return QString("%1:%2").arg(std::min(size, n * part)).arg(std::min(size, (n + 1) * part));
}

// "[0:4, :]": what part number `part` of the array is.
QString rangesText(Shape shape, std::span<const int64_t> tiles, int64_t part) {
  QStringList ranges;
  for (size_t d = tiles.size(); d-- > 0;) {
    ranges.prepend(tiles[d] == 1 ? QString(":") : partText(shape.dimension(d), part % tiles[d], tiles[d]));
    part /= tiles[d];
  }
  return "[" + ranges.join(", ") + "]";
}

int64_t roundedUp(int64_t size, int64_t step) { return step > 0 ? (size + step - 1) / step * step : size; }

// The number of an element, or that there is none.
DiagramCell layoutCell(const PhysicalLayout& layout, std::span<const int64_t> index, bool exists) {
  const int64_t position = layout.positionOf(index);
  if (!exists) return {"", QString("padding: nothing at number %1 in memory").arg(position), -1};
  return {QString::number(position),
          QString("element (%1) is number %2 in memory")
              .arg(qs(fmt::format("{}", fmt::join(index, ", "))))
              .arg(position),
          0};
}

const char* subgroupText(Sharding::Type type) {
  switch (type) {
    case Sharding::Type::Manual:
      return "manual";
    case Sharding::Type::Unreduced:
      return "unreduced: each a part of the sum";
    case Sharding::Type::Replicated:
      return "copies";
    case Sharding::Type::Maximal:
    case Sharding::Type::Tuple:
    case Sharding::Type::Tiled:
    case Sharding::Type::Unknown:
      break;
  }
  return "unknown";
}

// What the devices that hold one part are to each other: "2 manual, 4 copies".
QString subgroupsText(const Sharding& sharding, size_t rank) {
  QStringList parts;
  if (sharding.named != nullptr) {
    const auto add = [&](std::span<const AxisRef> axes, Sharding::Type type) {
      QStringList names;
      for (const AxisRef& axis : axes) {
        if (axis.axis >= 0 && axis.axis < static_cast<int64_t>(sharding.named->mesh.axes.size()))
          names << qs(sharding.named->mesh.axes[static_cast<size_t>(axis.axis)].name);
      }
      if (!names.isEmpty()) parts << QString("along %1 %2").arg(names.join(", "), subgroupText(type));
    };
    add(sharding.named->manualAxes, Sharding::Type::Manual);
    add(sharding.named->unreducedAxes, Sharding::Type::Unreduced);
    return parts.join(", ");
  }
  for (size_t k = 0; k < sharding.subgroupTypes.size() && rank + k < sharding.tileDimensions.size(); ++k)
    parts << QString("%1 %2")
                 .arg(sharding.tileDimensions[rank + k])
                 .arg(subgroupText(sharding.subgroupTypes[k]));
  return parts.join(", ");
}

}  // namespace

std::optional<Diagram> layoutDiagram(Shape shape) {
  const auto layout = physicalLayout(shape);
  if (!layout || shape.rank() == 0 || shape.elementCount() == 0) return std::nullopt;
  const size_t rank = shape.rank();
  const auto rows = rank > 1 ? shape.dimension(rank - 2) : 1, columns = shape.dimension(rank - 1);
  const int64_t shown = layout->tiles.empty() ? kShownPlain : kShownTiled;
  Diagram diagram;
  diagram.title = "layout: linear offset of each element";
  const auto [tileRows, tileColumns] = tileOf(*layout);
  // Tiles lie along dimensions in memory order; drawn where that is the order on paper as well.
  const bool tilesFit =
      rank > 1 && tileColumns > 0 && layout->majorToMinor.back() == static_cast<int64_t>(rank) - 1;
  // With the rest of the last tiles, which holds nothing.
  const int64_t shownRows = std::min(tilesFit ? roundedUp(rows, tileRows) : rows, shown);
  diagram.columns = static_cast<int>(std::min(tilesFit ? roundedUp(columns, tileColumns) : columns, shown));
  std::vector<int64_t> index(rank, 0);
  for (int64_t r = 0; r < shownRows; ++r) {
    if (rank > 1) diagram.rowHeads.push_back(QString::number(r));
    for (int64_t c = 0; c < diagram.columns; ++c) {
      if (rank > 1) index[rank - 2] = r;
      index[rank - 1] = c;
      diagram.cells.push_back(layoutCell(*layout, index, r < rows && c < columns));
      if (!tilesFit || diagram.cells.back().group < 0) continue;
      const int64_t down = tileRows > 0 ? r / tileRows : r;
      diagram.cells.back().group = static_cast<int>((down + c / tileColumns) % 2);
      diagram.cells.back().tip += QString(", in tile (%1, %2)").arg(down).arg(c / tileColumns);
    }
  }
  for (int64_t c = 0; c < diagram.columns; ++c) diagram.columnHeads.push_back(QString::number(c));
  QStringList notes;
  if (rank > 2) notes << "the last two dimensions, the others at 0";
  if (rows > shown || columns > shown)
    notes << QString("%1 x %2 of %3 x %4")
                 .arg(std::min(rows, shown))
                 .arg(std::min(columns, shown))
                 .arg(rows)
                 .arg(columns);
  const int64_t waste = layout->paddedElements - shape.elementCount();
  if (waste > 0) {
    notes << QString("padding: %1 elements, %2% of the memory")
                 .arg(countText(waste))
                 .arg(100.0 * static_cast<double>(waste) / static_cast<double>(layout->paddedElements), 0,
                      'f', 1);
  } else if (!layout->tiles.empty()) {
    notes << "no padding";
  }
  diagram.note = notes.join("; ");
  return diagram;
}

std::optional<Diagram> shardingDiagram(const Sharding& sharding, Shape shape) {
  if (!shape.isArray()) return std::nullopt;
  const size_t rank = shape.rank();
  const auto parts = shardingParts(sharding, rank);
  if (!parts) return std::nullopt;
  const auto& held = parts->devicesOf;
  // Rows are the parts of the first dimension that is cut, columns those of all others.
  const auto& tiles = parts->tiles;
  size_t first = 0;
  while (first < rank && tiles[first] == 1) ++first;
  const int64_t rows = first == rank ? 1 : tiles[first];
  Diagram diagram;
  diagram.title = "sharding: which devices hold which part";
  const int64_t columns = static_cast<int64_t>(held.size()) / rows;
  diagram.columns = static_cast<int>(std::min(columns, kShownParts));
  for (int64_t r = 0; r < std::min(rows, kShownParts); ++r) {
    if (first < rank) diagram.rowHeads.push_back(partText(shape.dimension(first), r, rows));
    for (int64_t c = 0; c < diagram.columns; ++c) {
      const int64_t part = r * columns + c;
      const auto& devices = held[static_cast<size_t>(part)];
      diagram.cells.push_back({listText(devices),
                               QString("%1 on device%2 %3")
                                   .arg(rangesText(shape, tiles, part), devices.size() == 1 ? "" : "s",
                                        qs(fmt::format("{}", fmt::join(devices, ", ")))),
                               static_cast<int>(part)});
    }
  }
  std::vector<size_t> others;
  for (size_t d = first + 1; d < rank; ++d) {
    if (tiles[d] > 1) others.push_back(d);
  }
  if (others.size() == 1) {
    for (int64_t c = 0; c < diagram.columns; ++c)
      diagram.columnHeads.push_back(partText(shape.dimension(others[0]), c, columns));
  }
  QStringList notes;
  if (first < rank) {
    notes << QString("rows: dimension %1").arg(first);
    QStringList across;
    for (const size_t d : others) across << QString::number(d);
    if (!others.empty())
      notes << QString("columns: dimension%1 %2").arg(others.size() > 1 ? "s" : "", across.join(", "));
  }
  if (held[0].size() > 1) notes << QString("each part on %1 devices").arg(held[0].size());
  if (const QString subgroups = subgroupsText(sharding, rank); !subgroups.isEmpty()) notes << subgroups;
  if (rows > kShownParts || columns > kShownParts)
    notes << QString("%1 x %2 of %3 x %4").arg(diagram.rows()).arg(diagram.columns).arg(rows).arg(columns);
  diagram.note = notes.join("; ");
  return diagram;
}

std::optional<Diagram> meshDiagram(const Sharding& sharding, Shape shape) {
  if (sharding.named == nullptr || !shape.isArray()) return std::nullopt;
  const auto parts = shardingParts(sharding, shape.rank());
  const auto axes = sharding.named->mesh.axes;
  if (!parts || axes.empty()) return std::nullopt;
  Diagram diagram;
  QStringList names;
  for (const MeshAxis& axis : axes) names << qs(axis.name);
  diagram.title = "device mesh: " + names.join(" by ");
  // The first axis goes down, all others across.
  const int64_t rows = axes.size() == 1 ? 1 : axes[0].size;
  const auto columns = static_cast<int64_t>(parts->deviceAt.size()) / rows;
  diagram.columns = static_cast<int>(std::min(columns, kShownParts));
  for (int64_t r = 0; r < std::min(rows, kShownParts); ++r) {
    if (axes.size() > 1) diagram.rowHeads.push_back(QString("%1=%2").arg(names[0]).arg(r));
    for (int64_t c = 0; c < diagram.columns; ++c) {
      const auto place = static_cast<size_t>(r * columns + c);
      const int64_t part = parts->partOf[place];
      diagram.cells.push_back({QString::number(parts->deviceAt[place]),
                               QString("device %1 holds %2")
                                   .arg(parts->deviceAt[place])
                                   .arg(rangesText(shape, parts->tiles, part)),
                               static_cast<int>(part)});
    }
  }
  for (int64_t c = 0; c < diagram.columns && axes.size() < 3; ++c)
    diagram.columnHeads.push_back(QString("%1=%2").arg(names.back()).arg(c));
  diagram.note = "devices of one shade hold the same part";
  if (rows > kShownParts || columns > kShownParts)
    diagram.note +=
        QString("; %1 x %2 of %3 x %4").arg(diagram.rows()).arg(diagram.columns).arg(rows).arg(columns);
  return diagram;
}

std::optional<Diagram> replicaGroupsDiagram(const ReplicaGroups& groups) {
  const auto lists = expandReplicaGroups(groups);
  if (lists.empty()) return std::nullopt;
  size_t longest = 0;
  for (const auto& list : lists) longest = std::max(longest, list.size());
  if (longest == 0) return std::nullopt;
  Diagram diagram;
  diagram.title = "replica groups: each row works together";
  diagram.columns = static_cast<int>(std::min<size_t>(longest, kShownParts));
  const size_t rows = std::min<size_t>(lists.size(), kShownParts);
  for (size_t r = 0; r < rows; ++r) {
    diagram.rowHeads.push_back(QString("group %1").arg(r));
    for (size_t c = 0; c < static_cast<size_t>(diagram.columns); ++c) {
      const bool inside = c < lists[r].size();
      diagram.cells.push_back({inside ? QString::number(lists[r][c]) : QString(),
                               inside ? QString("device %1 in group %2").arg(lists[r][c]).arg(r) : QString(),
                               inside ? static_cast<int>(r) : -1});
    }
  }
  diagram.note = QString("%1 of %2").arg(countOf(lists.size(), "group"), countOf(longest, "device"));
  if (rows < lists.size() || static_cast<size_t>(diagram.columns) < longest)
    diagram.note += "; not all are shown";
  return diagram;
}

std::optional<Diagram> permutationDiagram(std::span<const std::span<const int64_t>> pairs) {
  if (pairs.empty()) return std::nullopt;
  Diagram diagram;
  diagram.title = "source and target: who sends to whom";
  diagram.columns = 2;
  diagram.columnHeads = {"from", "to"};
  const size_t rows = std::min<size_t>(pairs.size(), kShownParts);
  for (size_t r = 0; r < rows; ++r) {
    if (pairs[r].size() != 2) return std::nullopt;
    const QString tip = QString("device %1 sends to device %2").arg(pairs[r][0]).arg(pairs[r][1]);
    for (const int64_t device : pairs[r])
      diagram.cells.push_back({QString::number(device), tip, static_cast<int>(r)});
  }
  diagram.note = countOf(pairs.size(), "pair");
  if (rows < pairs.size()) diagram.note += "; not all are shown";
  return diagram;
}

std::vector<Diagram> diagramsOf(const Instruction& instruction) {
  std::vector<Diagram> diagrams;
  const auto add = [&](std::optional<Diagram> diagram) {
    if (diagram) diagrams.push_back(*std::move(diagram));
  };
  const auto addSharding = [&](const Sharding& sharding, Shape shape) {
    add(meshDiagram(sharding, shape));
    add(shardingDiagram(sharding, shape));
  };
  if (const Sharding* sharding = instruction.get<Attr::Sharding>()) {
    const auto shapes = instruction.shape().tupleShapes();
    for (size_t n = 0; n < std::min({sharding->elements.size(), shapes.size(), kShownElements}); ++n) {
      const size_t before = diagrams.size();
      addSharding(sharding->elements[n], shapes[n]);
      for (size_t d = before; d < diagrams.size(); ++d)
        diagrams[d].title = QString("element %1, %2").arg(n).arg(diagrams[d].title);
    }
    if (sharding->elements.empty()) addSharding(*sharding, instruction.shape());
  }
  if (const ReplicaGroups* groups = instruction.get<Attr::ReplicaGroups>())
    add(replicaGroupsDiagram(*groups));
  add(permutationDiagram(instruction.get<Attr::SourceTargetPairs>()));
  add(layoutDiagram(instruction.shape()));
  return diagrams;
}

}  // namespace hilo
