#include "ui/canvas/scene_painter.h"

#include <gtest/gtest.h>

#include <QPainter>

#include "tests/support/scene_maker.h"

namespace hilo {
namespace {

QImage paint(const Scene& scene, const ViewTransform& view, PaintOptions options = {}) {
  QImage image(400, 300, QImage::Format_RGB32);
  image.fill(options.theme->colour(ColourRole::kSurface));
  QPainter painter(&image);
  const SceneIndex index(scene);
  ScenePainter().paint(painter, scene, index, view, image.size(), options);
  return image;
}

TEST(DetailLevel, dependsOnTheHeightOfANode) {
  EXPECT_EQ(detailLevel(2.9), DetailLevel::kDots);
  EXPECT_EQ(detailLevel(3.1), DetailLevel::kBoxes);
  EXPECT_EQ(detailLevel(20), DetailLevel::kFull);
}

TEST(ScenePainter, fillsNodesWithTheirRoleAtEveryLevel) {
  const Scene scene = makeGridScene(2);
  for (bool dark : {false, true}) {
    for (NodePalette palette : {NodePalette::kOpcodeClass, NodePalette::kXla}) {
      PaintOptions options{.theme = dark ? &darkTheme() : &lightTheme(), .palette = palette};
      const QRgb fill = nodeColours(palette, NodeRole::kMatmul, dark).fill.rgb();
      for (double scale : {0.3, 1.2}) {
        // Beside the label, inside the border.
        const QImage image = paint(scene, {scale, {10, 10}}, options);
        EXPECT_EQ(image.pixel(static_cast<int>(10 + 12 * scale), static_cast<int>(10 + 15 * scale)), fill)
            << scale;
        EXPECT_EQ(image.pixel(390, 290), options.theme->colour(ColourRole::kSurface).rgb());
      }
    }
  }
}

TEST(ScenePainter, farAwayNodesAreDotsAndEdgesAreLeftOut) {
  const Scene scene = makeGraphScene(3'000);
  const double scale = 280 / scene.bounds().height();
  const QImage image = paint(scene, {scale, {50, 10}});
  const QRgb ground = lightTheme().colour(ColourRole::kSurface).rgb();
  int coloured = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) coloured += image.pixel(x, y) != ground;
  }
  EXPECT_GT(coloured, 500);
  const QRgb edge = lightTheme().colour(ColourRole::kEdge).rgb();
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) EXPECT_NE(image.pixel(x, y), edge);
  }
}

TEST(ScenePainter, selectionIsOutlinedHoweverSmall) {
  const Scene scene = makeGridScene(50);
  const uint32_t selected[] = {51};
  PaintOptions options{.selected = selected};
  const QImage image = paint(scene, {0.05, {10, 10}}, options);
  const QRgb accent = lightTheme().colour(ColourRole::kAccent).rgb();
  int found = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) found += image.pixel(x, y) == accent;
  }
  EXPECT_GT(found, 8);
}

TEST(ScenePainter, ofNestedTitlesPinnedToTheTopTheInnermostIsShown) {
  const auto picture = [](const char* outerTitle, double scrolled) {
    Scene scene;
    scene.nodes.push_back(
        {.id = 1, .rect = {0, 0, 380, 900}, .title = outerTitle, .group = true, .open = true});
    scene.nodes.push_back(
        {.id = 2, .rect = {5, 40, 370, 850}, .parent = 0, .title = "inner", .group = true, .open = true});
    return paint(scene, {1, {5, 5 - scrolled}});
  };
  EXPECT_NE(picture("outer", 0), picture("another", 0));
  EXPECT_EQ(picture("outer", 300), picture("another", 300));
}

TEST(ScenePainter, marksAreDrawnAroundNodes) {
  Scene scene = makeGridScene(1);
  scene.nodes[0].mark = SceneMark::kAdded;
  const QImage image = paint(scene, {2, {20, 20}});
  EXPECT_EQ(image.pixel(20 + 100, 20 - 4), lightTheme().colour(ColourRole::kMarkAdded).rgb());
}

// Told by its sign as well as by its colour, from near and from afar.
TEST(ScenePainter, aFaultIsSeenAtEverySize) {
  for (bool dark : {false, true}) {
    const PaintOptions options{.theme = dark ? &darkTheme() : &lightTheme()};
    const QRgb error = options.theme->colour(ColourRole::kError).rgb();
    for (double scale : {0.04, 0.3, 1.5}) {
      Scene scene = makeGridScene(1);
      const QImage before = paint(scene, {scale, {150, 100}}, options);
      scene.nodes[0].mark = SceneMark::kFault;
      const QImage image = paint(scene, {scale, {150, 100}}, options);
      const QPoint corner(static_cast<int>(150 + 100 * scale), 100);
      int red = 0, changed = 0;
      for (int y = -15; y < 15; ++y) {
        for (int x = -5; x < 15; ++x) {
          red += image.pixel(corner + QPoint(x, y)) == error;
          changed += image.pixel(corner + QPoint(x, y)) != before.pixel(corner + QPoint(x, y));
        }
      }
      EXPECT_GT(red, 20) << scale;
      EXPECT_GT(changed, red) << "the sign has ink of its own";
    }
  }
}

TEST(ScenePainter, aMissingEdgeHasACross) {
  Scene scene = makeGridScene(1);
  scene.nodes[0].rect.moveTo(1000, 1000);
  scene.edges.push_back({.firstPoint = 0, .pointCount = 2, .kind = SceneEdgeKind::kMissing});
  scene.points = {{20, 50}, {220, 50}};
  const QImage image = paint(scene, {1, {0, 0}});
  const QRgb error = lightTheme().colour(ColourRole::kError).rgb();
  int above = 0;
  for (int x = 105; x < 135; ++x) above += image.pixel(x, 41) != image.pixel(399, 299);
  EXPECT_GT(above, 2) << "the circle of the cross";
  int beside = 0;
  for (int x = 20; x < 90; ++x) beside += image.pixel(x, 50) == error;
  EXPECT_GT(beside, 10);
  EXPECT_LT(beside, 60) << "dashed";
}

TEST(ScenePainter, heatReplacesTheRolesColour) {
  Scene scene = makeGridScene(1);
  scene.nodes[0].heat = 1;
  const QImage image = paint(scene, {2, {20, 20}});
  EXPECT_EQ(image.pixel(30, 50), heatColour(1, false).rgb());
}

TEST(HeatColour, isEvenAndClamped) {
  EXPECT_EQ(heatColour(-3, true), heatColour(0, true));
  EXPECT_EQ(heatColour(7, true), heatColour(1, true));
  for (int i = 1; i <= 10; ++i) {
    EXPECT_GT(heatColour(i / 10.0, true).lightnessF(), heatColour((i - 1) / 10.0, true).lightnessF() - 0.02);
  }
}

}  // namespace
}  // namespace hilo
