// Marks of an overlay on edges.
#include <gtest/gtest.h>

#include <set>

#include "core/hlo/text/parse.h"
#include "ui/views/graph/graph_picture.h"

namespace hilo {
namespace {

std::shared_ptr<const Module> twoLayers() {
  return std::move(parseModule(R"(HloModule m
ENTRY e {
  x = f32[8] parameter(0)
  a = f32[8] negate(x), metadata={op_name="one/neg"}
  b = f32[8] tanh(a), metadata={op_name="one/tanh"}
  c = f32[8] abs(b), metadata={op_name="two/abs"}
  d = f32[8] sine(c), metadata={op_name="two/sine"}
  ROOT r = f32[8] copy(d)
}
)")
                       .module);
}

Scene sceneOf(const std::shared_ptr<const Module>& module,
              const std::vector<std::pair<const char*, const char*>>& edges, QString& legend) {
  Overlay overlay = makeOverlay(*module, OverlayKind::Precision);
  overlay.edgesTitle = "move";
  for (const auto& [from, to] : edges)
    overlay.edges.push_back({module->findInstruction(from)->id(), module->findInstruction(to)->id(),
                             std::string(from) + " moves"});
  GraphOrder order{.module = module, .start = true, .openAll = true, .overlay = OverlayKind::Given};
  order.given = std::make_shared<const Overlay>(std::move(overlay));
  PictureMaker maker;
  const auto picture = maker.make(order, LayoutEngine::kLayered, {});
  if (!picture) {
    ADD_FAILURE() << toString(picture.error());
    return {};
  }
  legend = picture->legend ? picture->legend->edges : QString();
  return picture->scene->scene;
}

std::vector<QString> notesOf(const Scene& scene) {
  std::vector<QString> notes;
  for (const SceneEdge& edge : scene.edges) {
    if (edge.note >= 0) notes.push_back(scene.edgeNotes[edge.note]);
  }
  return notes;
}

TEST(EdgeMarks, StandOnTheirEdge) {
  QString legend;
  const Scene scene = sceneOf(twoLayers(), {{"a", "b"}}, legend);
  EXPECT_EQ(notesOf(scene), std::vector<QString>{"a moves"});
  EXPECT_EQ(legend, "1 move");
}

TEST(EdgeMarks, OneEdgeSaysTheSameOnce) {
  QString legend;
  const Scene scene = sceneOf(twoLayers(), {{"b", "c"}, {"b", "c"}, {"a", "b"}}, legend);
  const std::vector<QString> notes = notesOf(scene);
  EXPECT_EQ(std::set<QString>(notes.begin(), notes.end()), (std::set<QString>{"a moves", "b moves"}));
  EXPECT_EQ(notes.size(), 2u);
  EXPECT_EQ(legend, "3 moves");
}

TEST(EdgeMarks, ThereAreNoneWithoutAny) {
  QString legend;
  EXPECT_TRUE(notesOf(sceneOf(twoLayers(), {}, legend)).empty());
  EXPECT_EQ(legend, "");
}

}  // namespace
}  // namespace hilo
