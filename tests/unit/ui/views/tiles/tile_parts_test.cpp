// Parts of the tile view: rows, where arrays and tiles stand in the picture, sizes and what marks them.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/module_text.h"
#include "ui/views/tiles/size_controls.h"
#include "ui/views/tiles/tile_picture.h"
#include "ui/views/tiles/tile_rows.h"
#include "ui/views/tiles/tileable.h"

namespace hilo {
namespace {

struct TiledDot {
  std::shared_ptr<Module> module = moduleOf(R"(ENTRY e { a = f32[64,40] parameter(0)
  b = f32[40,48] parameter(1)
  ROOT r = f32[64,48] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} })");
  TilingSpace space = *tilingSpace(*module->entry()->root());
  FusionTiling tiling = *tilingWith(space, std::vector<int64_t>{16, 20, 8});
  std::vector<TileRegion> regions = regionsOf(space, tiling, std::vector<int64_t>{1, 2});
};

TEST(TileRows, SayWhatATileIsOf) {
  const TiledDot dot;
  TableModel<TileRow> model(tileColumns());
  const QAbstractItemModelTester tester(&model);
  model.setRows(tileRowsOf(dot.space, dot.tiling, dot.regions));
  ASSERT_EQ(model.rowCount(), 3);
  const TileRow& root = model.rows()[0];
  EXPECT_EQ(root.name, "%r");
  EXPECT_EQ(root.offset, "(d0, d1)");
  EXPECT_EQ(root.size, "(16, 20)");
  EXPECT_EQ(root.elements, "[16:32, 40:60]");
  EXPECT_EQ(root.outside, 16 * 12);
  model.setRows({});
}

TEST(TilePictureLayout, HasTheTileWhereItsElementsAre) {
  const TiledDot dot;
  const auto places = placeArrays({dot.regions[2], dot.regions[0], dot.regions[1]}, QSizeF(900, 400), 30);
  ASSERT_EQ(places.size(), 3u);
  for (size_t i = 0; i < places.size(); ++i) {
    EXPECT_TRUE(places[i].card.contains(places[i].array));
    for (size_t j = 0; j < i; ++j) EXPECT_FALSE(places[i].card.intersects(places[j].card));
  }
  const QRectF array(0, 0, 480, 640);
  EXPECT_EQ(tileRect(dot.regions[2], array), QRectF(400, 160, 200, 160));
  EXPECT_EQ(sweptRect(dot.regions[0], QRectF(0, 0, 40, 64)), QRectF(0, 16, 40, 16));
  EXPECT_EQ(elementAt(dot.regions[2], array, QPointF(479, 5)).column, 47);
  EXPECT_EQ(elementAt(dot.regions[2], array, QPointF(-5, 9000)).row, 63);
}

TEST(TilePictureLayout, DrawsTheDimensionsInWhichTheTileHasSeveral) {
  TileRegion region{
      .dimensions = {{.size = 8}, {.size = 512, .count = 16, .stride = 1}, {.size = 4}, {.size = 64}}};
  region.dimensions[3].sweptHigh = 63;
  EXPECT_EQ(drawnDimensions(region).rows, 1u);
  EXPECT_EQ(drawnDimensions(region).columns, 3u);
  region.dimensions[3].sweptHigh = 0;
  region.dimensions[1].count = 1;
  EXPECT_EQ(drawnDimensions(region).rows, 2u);
  EXPECT_EQ(drawnDimensions(TileRegion()).columns, std::nullopt);
}

TEST(SizeControls, StepAlongPowersOfTwoAndMarkWhatIsRefused) {
  const TiledDot dot;
  SizeControls controls;
  controls.setSpace(dot.space, {16, 20, 8});
  EXPECT_EQ(controls.sizes(), (std::vector<int64_t>{16, 20, 8}));
  const QSignalSpy changed(&controls, &SizeControls::changed);
  controls.box(1).stepUp();
  EXPECT_EQ(controls.sizes()[1], 32);
  controls.box(1).stepUp();
  EXPECT_EQ(controls.sizes()[1], 48);
  controls.slider(0).setValue(0);
  EXPECT_EQ(controls.sizes()[0], 1);
  EXPECT_EQ(changed.count(), 3);
  controls.markNamed("%r: d1 takes 3 values");
  EXPECT_TRUE(controls.isMarked(1));
  EXPECT_FALSE(controls.isMarked(0));
  controls.markNamed("");
  EXPECT_FALSE(controls.isMarked(1));
}

TEST(Tileable, AreTheOutermostFusions) {
  const auto module = moduleOf(R"(
inner { x = f32[4] parameter(0)
  ROOT n = f32[4] negate(x) }
outer { y = f32[4] parameter(0)
  ROOT i = f32[4] fusion(y), kind=kLoop, calls=inner }
ENTRY e { p = f32[4] parameter(0)
  ROOT f = f32[4] fusion(p), kind=kLoop, calls=outer })");
  const auto fusions = fusionsOf(*module);
  ASSERT_EQ(fusions.size(), 1u);
  EXPECT_EQ(fusions[0]->name(), "f");
  EXPECT_EQ(&tiledFor(*module, *module->findInstruction("n")), fusions[0]);
  EXPECT_EQ(tiledFor(*module, *module->findInstruction("p")).name(), "p");
}

}  // namespace
}  // namespace hilo
