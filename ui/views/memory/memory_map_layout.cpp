#include "ui/views/memory/memory_map_layout.h"

#include <algorithm>
#include <cmath>

namespace hilo {
namespace {

constexpr double kFewestSteps = 3;
constexpr double kFewestBytes = 256;
constexpr int kEdgedPixels = 4;  // boxes less wide or high than this have no edge

// What stands lowest first.
int rankOf(PlaceKind kind) {
  switch (kind) {
    case PlaceKind::Temporary:
      return 0;
    case PlaceKind::Output:
      return 1;
    case PlaceKind::Constant:
      return 2;
    case PlaceKind::Parameter:
      return 3;
  }
  return 3;
}

bool isShown(const BufferAllocation& allocation, MapContent content) {
  if (allocation.isThreadLocal || allocation.sizeBytes == 0) return false;
  const int rank = rankOf(placeKindOf(allocation));
  return content == MapContent::kAll || rank == 0 ||
         (rank == 1 && content == MapContent::kTemporariesAndOutputs);
}

}  // namespace

std::vector<MapBand> layOutBands(const BufferAssignment& plan, MapContent content) {
  std::vector<MapBand> bands;
  for (size_t i = 0; i < plan.allocations.size(); ++i) {
    if (isShown(plan.allocations[i], content))
      bands.push_back({i, placeKindOf(plan.allocations[i]), 0, plan.allocations[i].sizeBytes});
  }
  std::ranges::sort(bands, {}, [](const MapBand& band) {
    return std::tuple(rankOf(band.kind), -band.sizeBytes, band.allocation);
  });
  int64_t base = 0;
  for (MapBand& band : bands) {
    band.baseBytes = base;
    base += band.sizeBytes;
  }
  return bands;
}

std::vector<MapBox> layOutBoxes(const MemoryProfile& profile, const std::vector<MapBand>& bands,
                                const MapAxis& axis) {
  std::vector<int64_t> baseOf;
  for (const MapBand& band : bands) {
    if (baseOf.size() <= band.allocation) baseOf.resize(band.allocation + 1, -1);
    baseOf[band.allocation] = band.baseBytes;
  }
  const auto last = static_cast<int64_t>(profile.liveBytes.size()) - 1;
  std::vector<MapBox> boxes;
  for (size_t i = 0; i < profile.values.size(); ++i) {
    const PlacedValue& value = profile.values[i];
    if (value.allocation >= baseOf.size() || baseOf[value.allocation] < 0 || value.sizeBytes <= 0) continue;
    const bool fixed = profile.placeIsFixed[value.place];
    const int64_t low = baseOf[value.allocation] + value.offsetBytes;
    const int64_t start = fixed ? 0 : value.range.start, end = fixed ? last : std::min(value.range.end, last);
    boxes.push_back({i, start, end, low, low + value.sizeBytes, axis.at(start), axis.at(end + 1)});
  }
  std::ranges::sort(boxes, {}, [](const MapBox& box) {
    const double area = (box.to - box.from) * static_cast<double>(box.highBytes - box.lowBytes);
    return std::pair(-area, box.value);
  });
  return boxes;
}

int64_t heightOf(const std::vector<MapBand>& bands) {
  return bands.empty() ? 0 : bands.back().baseBytes + bands.back().sizeBytes;
}

MapWindow wholeMap(const MapAxis& axis, const std::vector<MapBand>& bands, int64_t leastBytes) {
  const int64_t height = std::max(leastBytes, heightOf(bands));
  return {.step = 0,
          .steps = std::max(kFewestSteps, axis.length()),
          .bytes = 0,
          .height = std::max<double>(kFewestBytes, static_cast<double>(height) * 1.02)};
}

MapWindow clamped(MapWindow window, const MapWindow& whole) {
  window.steps = std::clamp(window.steps, std::min(kFewestSteps, whole.steps), whole.steps);
  window.height = std::clamp(window.height, std::min(kFewestBytes, whole.height), whole.height);
  window.step = std::clamp(window.step, whole.step, whole.step + whole.steps - window.steps);
  window.bytes = std::clamp(window.bytes, whole.bytes, whole.bytes + whole.height - window.height);
  return window;
}

MapWindow zoomed(const MapWindow& window, double factor, std::optional<double> atStep,
                 std::optional<double> atBytes) {
  MapWindow next = window;
  if (atStep) {
    next.steps = window.steps / factor;
    next.step = window.step + *atStep * (window.steps - next.steps);
  }
  if (atBytes) {
    next.height = window.height / factor;
    next.bytes = window.bytes + *atBytes * (window.height - next.height);
  }
  return next;
}

double xOf(double step, const MapWindow& window, QSizeF size) {
  return (step - window.step) / window.steps * size.width();
}
double yOf(double bytes, const MapWindow& window, QSizeF size) {
  return size.height() - (bytes - window.bytes) / window.height * size.height();
}
double stepAt(double x, const MapWindow& window, QSizeF size) {
  return window.step + x / size.width() * window.steps;
}
double bytesAt(double y, const MapWindow& window, QSizeF size) {
  return window.bytes + (size.height() - y) / size.height() * window.height;
}

QRectF rectOf(const MapBox& box, const MapWindow& window, QSizeF size) {
  const double left = xOf(box.from, window, size);
  const double right = xOf(box.to, window, size);
  const double top = yOf(static_cast<double>(box.highBytes), window, size);
  const double bottom = yOf(static_cast<double>(box.lowBytes), window, size);
  return {left, top, std::max(1.0, right - left), std::max(1.0, bottom - top)};
}

std::optional<size_t> boxAt(const std::vector<MapBox>& boxes, const MapWindow& window, QSizeF size,
                            QPointF place) {
  for (size_t i = boxes.size(); i-- > 0;) {
    if (rectOf(boxes[i], window, size).contains(place)) return i;
  }
  return std::nullopt;
}

void fillBoxes(QImage& image, const std::vector<MapBox>& boxes, const MapWindow& window,
               const std::vector<QRgb>& fills, const std::vector<QRgb>& edges) {
  const QSizeF size = image.size();
  const int width = image.width(), height = image.height();
  for (size_t i = 0; i < boxes.size(); ++i) {
    const QRectF rect = rectOf(boxes[i], window, size);
    const int left = std::clamp(static_cast<int>(std::floor(rect.left())), 0, width);
    const int right = std::clamp(std::max(left + 1, static_cast<int>(std::lround(rect.right()))), 0, width);
    const int top = std::clamp(static_cast<int>(std::floor(rect.top())), 0, height);
    const int bottom = std::clamp(std::max(top + 1, static_cast<int>(std::lround(rect.bottom()))), 0, height);
    if (rect.right() < 0 || rect.bottom() < 0 || left >= right || top >= bottom) continue;
    const bool edged = rect.width() >= kEdgedPixels && rect.height() >= kEdgedPixels;
    for (int y = top; y < bottom; ++y) {
      auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
      std::fill(line + left, line + right, edged && y == bottom - 1 ? edges[i] : fills[i]);
      if (edged) line[right - 1] = edges[i];
    }
  }
}

int64_t axisStepBytes(double height, int wanted) {
  int64_t step = 1;
  while (static_cast<double>(step) * wanted < height && step < (int64_t{1} << 60)) step *= 2;
  return step;
}

}  // namespace hilo
