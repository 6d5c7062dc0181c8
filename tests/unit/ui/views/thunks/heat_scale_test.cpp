#include "ui/views/thunks/heat_scale.h"

#include <gtest/gtest.h>

#include "ui/views/thunks/heat_legend.h"
#include "ui/views/thunks/thunk_lanes.h"
#include "ui/views/thunks/thunk_scene.h"

namespace hilo {
namespace {

// A loop of two thunks, each run twice.
ThunkStudy measured() {
  ThunkStudy study;
  for (const auto& [name, parent, ns] : {std::tuple("loop", StudiedThunk::kNone, int64_t{2'600'000}),
                                         {"slow", 0u, int64_t{2'000'000}},
                                         {"quick", 0u, int64_t{20'000}}}) {
    StudiedThunk& thunk = study.thunks.emplace_back();
    thunk.name = name;
    thunk.parent = parent;
    thunk.measuredNs = ns;
  }
  study.timeline = {{.thunk = 1, .startNs = 0, .durationNs = 1'000'000},
                    {.thunk = 2, .startNs = 1'000'000, .durationNs = 20'000}};
  return study;
}

TEST(HeatScale, IsOneForTheGraphAndTheTimeline) {
  const ThunkStudy study = measured();
  const HeatScale scale = heatScaleOf(study);
  EXPECT_TRUE(scale.isMeasured);
  EXPECT_EQ(scale.mostNs, 2'000'000) << "what runs others is no heat of its own";
  EXPECT_EQ(scale.leastNs(), 200);
  EXPECT_DOUBLE_EQ(scale.share(2e6), 1);
  EXPECT_DOUBLE_EQ(scale.share(2e4), 0.5);
  EXPECT_DOUBLE_EQ(scale.share(20), 0);
  const HeatScale small{.mostNs = 100};
  EXPECT_EQ(small.leastNs(), 1);
  EXPECT_DOUBLE_EQ(small.share(10), 0.5);
  const auto scene = makeThunkScene(study, {}, CancelToken());
  ASSERT_TRUE(scene);
  const auto quick = std::ranges::find(scene->nodes, QStringLiteral("quick"), &SceneNode::title);
  ASSERT_NE(quick, scene->nodes.end());
  EXPECT_FLOAT_EQ(quick->heat, 0.5f);
  EXPECT_EQ(makeTimeline(study).heat.mostNs, scale.mostNs);
}

TEST(HeatScale, TheLegendSaysRangeAndUnitsWhereAnyTimeIsKnown) {
  QTabWidget tabs;
  tabs.addTab(new QWidget, QStringLiteral("Timeline"));
  tabs.resize(800, 200);
  tabs.show();
  HeatLegend legend(&tabs);
  legend.setScale(heatScaleOf(measured()));
  EXPECT_FALSE(legend.isHidden());
  EXPECT_EQ(legend.text(), QStringLiteral("measured time, log scale: ≤ 200 ns to ≥ 2.00 ms"));
  EXPECT_EQ(legend.geometry().right(), tabs.rect().right());
  tabs.resize(200, 200);
  EXPECT_TRUE(legend.isHidden()) << "it would lie over the tab";
  tabs.resize(800, 200);
  ThunkStudy estimated = measured();
  for (StudiedThunk& thunk : estimated.thunks) thunk.estimatedNs = std::exchange(thunk.measuredNs, -1);
  legend.setScale(heatScaleOf(estimated));
  EXPECT_TRUE(legend.text().startsWith("estimated time")) << legend.text().toStdString();
  legend.setScale({});
  EXPECT_TRUE(legend.isHidden());
}

}  // namespace
}  // namespace hilo
