// Where values are drawn, without a window.
#include "ui/views/memory/memory_map_layout.h"

#include "tests/unit/ui/views/memory/planned_module.h"
#include "ui/views/memory/map_legend.h"

namespace hilo {
namespace {

TEST(MemoryMapLayout, StacksAllocationsByKindAndSize) {
  const auto plans = plannedModule();
  const BufferAssignment& plan = plans->hilo->assignment;
  const auto all = layOutBands(plan, MapContent::kAll);
  int64_t base = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].baseBytes, base);
    base += all[i].sizeBytes;
  }
  EXPECT_EQ(base, plan.totalBytes);
  EXPECT_EQ(all.front().kind, PlaceKind::Temporary);
  EXPECT_EQ(all.back().kind, PlaceKind::Parameter);
  for (const MapBand& band : layOutBands(plan, MapContent::kTemporaries))
    EXPECT_EQ(band.kind, PlaceKind::Temporary);
  const auto both = layOutBands(plan, MapContent::kTemporariesAndOutputs);
  EXPECT_LT(both.size(), all.size());
  EXPECT_EQ(both.back().kind, PlaceKind::Output);
}

TEST(MemoryMapLayout, PutsAValueAtItsStepsAndAddresses) {
  const auto plans = plannedModule();
  const MemoryProfile& profile = plans->hilo->profile;
  const auto bands = layOutBands(plans->hilo->assignment, MapContent::kAll);
  const MapAxis axis = MapAxis::ofSteps(profile.liveBytes.size());
  const auto boxes = layOutBoxes(profile, bands, axis);
  const size_t b = valueNamed(*plans->hilo, "b");
  const auto box = std::ranges::find(boxes, b, &MapBox::value);
  ASSERT_NE(box, boxes.end());
  EXPECT_EQ(box->start, profile.values[b].range.start);
  EXPECT_EQ(box->end, profile.values[b].range.end);
  EXPECT_EQ(box->highBytes - box->lowBytes, 2048);
  const MapWindow whole = wholeMap(axis, bands);
  const QSizeF size(700, 400);
  const QRectF rect = rectOf(*box, whole, size);
  EXPECT_DOUBLE_EQ(rect.left(), 100.0 * static_cast<double>(box->start));  // seven steps
  EXPECT_NEAR(rect.height(), 2048 / whole.height * 400, 1e-9);
  const auto found = boxAt(boxes, whole, size, rect.center());
  ASSERT_TRUE(found);
  EXPECT_EQ(boxes[*found].value, b);
  EXPECT_NEAR(stepAt(xOf(3, whole, size), whole, size), 3, 1e-9);
  EXPECT_NEAR(bytesAt(yOf(4096, whole, size), whole, size), 4096, 1e-6);
  EXPECT_FALSE(boxAt(boxes, whole, size, {-5, 5}));
}

TEST(MemoryMapLayout, ZoomKeepsAPointAndStaysWithinTheWhole) {
  const MapWindow whole{0, 100, 0, 1000};
  const MapWindow in = clamped(zoomed(whole, 4, 0.5, {}), whole);
  EXPECT_DOUBLE_EQ(in.steps, 25);
  EXPECT_DOUBLE_EQ(in.step + 0.5 * in.steps, 50);
  EXPECT_DOUBLE_EQ(in.height, 1000);
  EXPECT_EQ(clamped(zoomed(in, 0.01, 0.5, 0.5), whole), whole);
  EXPECT_DOUBLE_EQ(clamped(zoomed(in, 1e9, 0.5, 0.5), whole).steps, 3);
  MapWindow beyond = in;
  beyond.step = 500;
  EXPECT_DOUBLE_EQ(clamped(beyond, whole).step, 75);
}

TEST(MemoryMapLayout, FillsEachBoxAndLeavesTheRest) {
  const std::vector<MapBox> boxes = {{0, 0, 4, 0, 500, 0, 5}, {1, 9, 9, 905, 906, 9, 10}};
  QImage image(100, 100, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  fillBoxes(image, boxes, {0, 10, 0, 1000}, {qRgb(255, 0, 0), qRgb(0, 255, 0)},
            {qRgb(0, 0, 255), qRgb(0, 0, 255)});
  EXPECT_EQ(image.pixel(10, 70), qRgb(255, 0, 0));
  EXPECT_EQ(image.pixel(49, 70), qRgb(0, 0, 255));  // its right edge
  EXPECT_EQ(qAlpha(image.pixel(60, 70)), 0);
  // A byte among a thousand is still a line of pixels.
  int lines = 0;
  for (int y = 0; y < 100; ++y) lines += image.pixel(95, y) == qRgb(0, 255, 0);
  EXPECT_EQ(lines, 1);
}

TEST(MemoryMapLayout, AxesCountInPowersOfTwo) {
  EXPECT_EQ(axisStepBytes(1000, 4), 256);
  EXPECT_EQ(axisStepBytes(3, 4), 1);
  EXPECT_EQ(axisStepBytes(1e30, 4), int64_t{1} << 60);
}

TEST(MapAxis, FindsTheStepAtAPlace) {
  const MapAxis steps = MapAxis::ofSteps(3);
  EXPECT_EQ(steps.stepAt(1.5), 1);
  EXPECT_EQ(steps.stepAt(-1), 0);
  EXPECT_EQ(steps.stepAt(9), 2);
  const MapAxis times = MapAxis::ofTimes(std::vector<double>{0, 40, 0, 60});
  EXPECT_TRUE(times.isTime());
  EXPECT_EQ(times.stepAt(0), 1) << "what takes nothing is not seen";
  EXPECT_EQ(times.stepAt(39), 1);
  EXPECT_EQ(times.stepAt(40), 3);
  EXPECT_EQ(times.stepAt(100.5), 4) << "the end";
  EXPECT_DOUBLE_EQ(times.at(3), 40);
  EXPECT_EQ(times.placeAt(30), (MapPlace{1, 0.75}));
  EXPECT_EQ(times.at(MapPlace{3, 0.5}), 70);
  EXPECT_FALSE(MapAxis::ofTimes(std::vector<double>{0, 0}).isTime());
}

TEST(MapLegend, TicksStandAtRoundSteps) {
  EXPECT_EQ(stepsBetweenTicks(3, 10), 1);
  EXPECT_EQ(stepsBetweenTicks(100, 10), 10);
  EXPECT_EQ(stepsBetweenTicks(7125, 10), 1000);
  EXPECT_EQ(stepsBetweenTicks(150, 10), 20);
  EXPECT_EQ(stepsBetweenTicks(45, 10), 5);
}

}  // namespace
}  // namespace hilo
