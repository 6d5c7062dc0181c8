// Where a plan's values are drawn: steps from left to right, addresses from bottom to top, allocations on top
// of each other. No widget: functions of plain values.
#pragma once

#include <QImage>
#include <QRectF>
#include <optional>
#include <vector>

#include "core/analysis/memory/memory_blame.h"
#include "ui/views/memory/map_axis.h"

namespace hilo {

// Which allocations are drawn. The first has the most to say of a plan: what lies in the others is given.
enum class MapContent : uint8_t { kTemporaries, kTemporariesAndOutputs, kAll };

// An allocation's share of the vertical axis; bytes from the bottom.
struct MapBand {
  size_t allocation = 0;
  PlaceKind kind = PlaceKind::Temporary;
  int64_t baseBytes = 0;
  int64_t sizeBytes = 0;
};
// Temporaries below outputs below constants below parameters, of one kind the largest below.
std::vector<MapBand> layOutBands(const BufferAssignment& plan, MapContent content);

struct MapBox {
  size_t value = 0;            // position in the profile
  int64_t start = 0, end = 0;  // steps, both in it
  int64_t lowBytes = 0, highBytes = 0;
  double from = 0, to = 0;  // along the axis
};
// Largest first, so that what is drawn last is not hidden.
std::vector<MapBox> layOutBoxes(const MemoryProfile& profile, const std::vector<MapBand>& bands,
                                const MapAxis& axis);

// What of the map is seen: from `step` and `bytes` on, `steps` by `height` of them. Steps are places along
// the axis, which may be nanoseconds.
struct MapWindow {
  double step = 0, steps = 1;
  double bytes = 0, height = 1;
  friend bool operator==(const MapWindow&, const MapWindow&) = default;
};
// At least `leastBytes` high, so that two maps can have one scale.
MapWindow wholeMap(const MapAxis& axis, const std::vector<MapBand>& bands, int64_t leastBytes = 0);
int64_t heightOf(const std::vector<MapBand>& bands);
// Within `whole`, not narrower than three steps, or nanoseconds, or 256 bytes.
MapWindow clamped(MapWindow window, const MapWindow& whole);
// Larger by `factor` about a point that stays where it is, by shares of the window from 0 to 1.
MapWindow zoomed(const MapWindow& window, double factor, std::optional<double> atStep,
                 std::optional<double> atBytes);

// In an area of this size; at least a pixel wide and high.
QRectF rectOf(const MapBox& box, const MapWindow& window, QSizeF size);
double stepAt(double x, const MapWindow& window, QSizeF size);
double bytesAt(double y, const MapWindow& window, QSizeF size);
double xOf(double step, const MapWindow& window, QSizeF size);
double yOf(double bytes, const MapWindow& window, QSizeF size);
// The smallest box there, by its position in `boxes`.
std::optional<size_t> boxAt(const std::vector<MapBox>& boxes, const MapWindow& window, QSizeF size,
                            QPointF place);

// Fills boxes into an image (Format_ARGB32_Premultiplied), each with its fill and, where it is large enough
// to have one, an edge. `fills` and `edges` by box.
void fillBoxes(QImage& image, const std::vector<MapBox>& boxes, const MapWindow& window,
               const std::vector<QRgb>& fills, const std::vector<QRgb>& edges);

// Round byte counts for an axis over `height` bytes, about `wanted` of them apart.
int64_t axisStepBytes(double height, int wanted);

}  // namespace hilo
