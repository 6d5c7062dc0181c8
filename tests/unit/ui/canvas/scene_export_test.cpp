#include "ui/canvas/scene_export.h"

#include <gtest/gtest.h>

#include <QTemporaryDir>
#include <QXmlStreamReader>

#include "tests/support/scene_maker.h"

namespace hilo {
namespace {

Scene exampleScene() {
  Scene scene = makeGridScene(2);
  scene.nodes[0].group = scene.nodes[0].open = true;
  scene.nodes[0].rect = QRectF(-20, -40, 400, 200);
  for (uint32_t i : {1u, 2u, 3u}) scene.nodes[i].parent = 0;
  scene.nodes[3].parent = kNoIndex;
  scene.nodes[3].rect = QRectF(100, 300, 100, 30);
  scene.nodes[1].title = QStringLiteral("a \"b\" \\c");
  scene.points = {{50, 60}, {150, 300}};
  scene.edges.push_back({.from = 1, .to = 3, .firstPoint = 0, .pointCount = 2, .count = 3, .bytes = 2048});
  scene.edges.push_back(
      {.from = 0, .to = 3, .firstPoint = 0, .pointCount = 2, .kind = SceneEdgeKind::kControl});
  return scene;
}

TEST(SceneExport, dotHasClustersNodesAndEdges) {
  EXPECT_EQ(sceneDot(exampleScene(), {}),
            R"dot(digraph scene {
  compound=true;
  node [shape=box, style="filled,rounded", fontname="sans-serif"];
  subgraph cluster_0 {
    label="n0"; style=rounded;
    n0 [style=invis, shape=point];
    n1 [label="a \"b\" \\c", fillcolor="#0072b2", color="#004c78", fontcolor="#ffffff"];
    n2 [label="n2", fillcolor="#0072b2", color="#004c78", fontcolor="#ffffff"];
  }
  n3 [label="n3", fillcolor="#0072b2", color="#004c78", fontcolor="#ffffff"];
  n1 -> n3 [label="x3"];
  n0 -> n3 [style=dotted, ltail=cluster_0];
}
)dot");
}

TEST(SceneExport, svgHoldsTheTitlesAndIsWellFormed) {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("scene.svg"));
  ASSERT_TRUE(writeSceneSvg(exampleScene(), {}, path).has_value());
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  QXmlStreamReader xml(&file);
  QStringList texts;
  while (!xml.atEnd()) {
    if (xml.readNext() == QXmlStreamReader::Characters && !xml.isWhitespace()) texts << xml.text().toString();
  }
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  EXPECT_TRUE(texts.contains(QStringLiteral("n2"))) << texts.join(u'|').toStdString();
  EXPECT_TRUE(texts.contains(QStringLiteral("×3 · 2.00 KiB")));
}

TEST(SceneExport, imageHasTheSceneAndItsMargin) {
  const QImage image = sceneImage(exampleScene(), {}, 2);
  // 400 x 370 and a margin of 16 on each side, doubled.
  EXPECT_EQ(image.size(), QSize(864, 804));
  const QRgb fill = nodeColours(NodePalette::kOpcodeClass, NodeRole::kMatmul, false).fill.rgb();
  EXPECT_EQ(image.pixel((100 + 8 + 36) * 2, (300 + 15 + 56) * 2), fill);
}

TEST(SceneExport, hugeScenesAreDrawnSmaller) {
  Scene scene = makeGridScene(2);
  scene.nodes[3].rect.moveTo(1e6, 10);
  EXPECT_LE(sceneImage(scene, {}, 1).width(), 16'384);
}

TEST(SceneExport, refusesAPlaceThatCannotBeWritten) {
  const Scene scene = makeGridScene(2);
  for (const Status& status : {writeSceneSvg(scene, {}, QStringLiteral("/nowhere/a.svg")),
                               writeScenePng(scene, {}, QStringLiteral("/nowhere/a.png")),
                               writeSceneDot(scene, {}, QStringLiteral("/nowhere/a.dot"))}) {
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().kind, "file-not-written");
  }
}

}  // namespace
}  // namespace hilo
