#include "ui/views/partition/mesh_diagram.h"

#include "core/analysis/sharding_parts.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

constexpr int64_t kMostAcross = 16, kMostDown = 16;

// The last axis goes across, all others down.
struct Grid {
  int64_t rows = 1, columns = 1;
};

Grid gridOf(const DeviceMesh& mesh) {
  const auto count = static_cast<int64_t>(mesh.devices.size());
  const int64_t columns = mesh.axes.empty() ? count : mesh.axes.back().size;
  return {count / std::max<int64_t>(columns, 1), columns};
}

// "data 1, stage 0": where a row is along all axes but the last.
QString rowHead(const DeviceMesh& mesh, int64_t row) {
  QStringList parts;
  for (size_t a = mesh.axes.size() - 1; a-- > 0;) {
    parts.prepend(QString("%1 %2").arg(qs(mesh.axes[a].name)).arg(row % mesh.axes[a].size));
    row /= mesh.axes[a].size;
  }
  return parts.join(", ");
}

// A cell a device: `cellOf` gives its shade and what a hover says.
template <typename CellOf>
std::optional<Diagram> draw(const DeviceMesh& mesh, CellOf cellOf) {
  if (mesh.devices.empty()) return std::nullopt;
  const Grid grid = gridOf(mesh);
  Diagram diagram;
  diagram.columns = static_cast<int>(std::min(grid.columns, kMostAcross));
  for (int64_t r = 0; r < std::min(grid.rows, kMostDown); ++r) {
    if (mesh.axes.size() > 1) diagram.rowHeads.push_back(rowHead(mesh, r));
    for (int64_t c = 0; c < diagram.columns; ++c) {
      const int64_t device = mesh.devices[static_cast<size_t>(r * grid.columns + c)];
      DiagramCell cell = cellOf(device);
      cell.text = QString::number(device);
      diagram.cells.push_back(std::move(cell));
    }
  }
  for (int64_t c = 0; c < diagram.columns && !mesh.axes.empty(); ++c)
    diagram.columnHeads.push_back(c == 0 ? QString("%1 0").arg(qs(mesh.axes.back().name))
                                         : QString::number(c));
  if (grid.rows > kMostDown || grid.columns > kMostAcross) {
    diagram.note = QString("%1 x %2 of %3 x %4 devices")
                       .arg(diagram.rows())
                       .arg(diagram.columns)
                       .arg(grid.rows)
                       .arg(grid.columns);
  }
  return diagram;
}

void addNote(Diagram& diagram, const QString& note) {
  diagram.note = diagram.note.isEmpty() ? note : note + "; " + diagram.note;
}

}  // namespace

std::optional<Diagram> partsOnMesh(const DeviceMesh& mesh, const Sharding* sharding, Shape shape) {
  const auto parts =
      sharding != nullptr && shape.isArray() ? shardingParts(*sharding, shape.rank()) : std::nullopt;
  std::vector<int64_t> partOf(mesh.devices.size(), 0);
  for (size_t place = 0; parts && place < parts->deviceAt.size(); ++place) {
    const int64_t device = parts->deviceAt[place];
    if (device >= 0 && device < static_cast<int64_t>(partOf.size()))
      partOf[static_cast<size_t>(device)] = parts->partOf[place];
  }
  auto diagram = draw(mesh, [&](int64_t device) {
    const int64_t part = partOf[static_cast<size_t>(device)];
    return DiagramCell{
        {},
        parts ? QString("device %1 holds part %2 of %3").arg(device).arg(part).arg(parts->devicesOf.size())
              : QString("device %1 holds all of it").arg(device),
        static_cast<int>(part)};
  });
  if (!diagram) return diagram;
  diagram->title = "mesh: who holds which part";
  const size_t copies = parts ? parts->devicesOf[0].size() : mesh.devices.size();
  addNote(*diagram, copies > 1 ? QString("devices of one shade hold the same part: %1 copies").arg(copies)
                               : QString("each device holds a part of its own"));
  return diagram;
}

std::optional<Diagram> groupsOnMesh(const DeviceMesh& mesh, const std::vector<std::vector<int64_t>>& groups,
                                    const AxisNames& axes) {
  std::vector<int64_t> groupOf(mesh.devices.size(), -1);
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const int64_t device : groups[g]) {
      if (device >= 0 && device < static_cast<int64_t>(groupOf.size()))
        groupOf[static_cast<size_t>(device)] = static_cast<int64_t>(g);
    }
  }
  auto diagram = draw(mesh, [&](int64_t device) {
    const int64_t group = groupOf[static_cast<size_t>(device)];
    return DiagramCell{{},
                       group < 0 ? QString("device %1 takes no part").arg(device)
                                 : QString("device %1 is in group %2").arg(device).arg(group),
                       static_cast<int>(group)};
  });
  if (!diagram) return diagram;
  diagram->title = axes.empty()
                       ? QString("mesh: who takes part together")
                       : QString("mesh: it runs along %1").arg(qs(fmt::format("{}", fmt::join(axes, ", "))));
  addNote(*diagram, QString("devices of one shade work together: %1").arg(countOf(groups.size(), "group")));
  return diagram;
}

}  // namespace hilo
