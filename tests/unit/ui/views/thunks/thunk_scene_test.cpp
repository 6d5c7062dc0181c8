#include "ui/views/thunks/thunk_scene.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

StudiedThunk thunk(const char* name, const char* kind, uint32_t parent, const char* part) {
  StudiedThunk made;
  made.name = name;
  made.kind = kind;
  made.parent = parent;
  made.part = part;
  return made;
}

// A loop in a branch of a choice in a loop.
ThunkStudy nested() {
  ThunkStudy study;
  study.thunks = {thunk("outer", "while", StudiedThunk::kNone, ""),
                  thunk("less", "kernel", 0, "condition"),
                  thunk("choice", "conditional", 0, "body"),
                  thunk("inner", "while", 2, "branch 0"),
                  thunk("plain", "kernel", 2, "branch 1"),
                  thunk("fewer", "kernel", 3, "condition"),
                  thunk("made", "kernel", 3, "body"),
                  thunk("read", "kernel", 3, "body")};
  return study;
}

Scene sceneOf(const ThunkStudy& study, const ClosedThunks& closed = {}) {
  auto scene = makeThunkScene(study, closed, CancelToken());
  EXPECT_TRUE(scene);
  return scene ? *std::move(scene) : Scene();
}

const SceneNode* find(const Scene& scene, const char* title, uint32_t of) {
  for (const SceneNode& node : scene.nodes) {
    if (node.title == QLatin1String(title) && thunkAt(node.id) == of) return &node;
  }
  return nullptr;
}

TEST(ThunkScene, PartsStandSideBySideInFrames) {
  const Scene scene = sceneOf(nested());
  for (const auto& [of, first, second] :
       {std::tuple(0u, "condition", "body"), {2u, "branch 0", "branch 1"}, {3u, "condition", "body"}}) {
    const SceneNode *left = find(scene, first, of), *right = find(scene, second, of);
    ASSERT_TRUE(left != nullptr && right != nullptr) << of;
    EXPECT_TRUE(left->open && right->open);
    EXPECT_LT(left->rect.right(), right->rect.left()) << "in the order they run";
    EXPECT_EQ(scene.nodes[left->parent].id, of);
  }
  const SceneNode *body = find(scene, "body", 3), *made = find(scene, "made", 6);
  ASSERT_TRUE(body != nullptr && made != nullptr);
  EXPECT_TRUE(body->rect.contains(made->rect));
  EXPECT_EQ(made->id, 6u);
}

TEST(ThunkScene, OfAClosedThunkTheFramesAreLeftOutToo) {
  const Scene scene = sceneOf(nested(), {2});
  EXPECT_EQ(find(scene, "branch 0", 2), nullptr);
  EXPECT_NE(find(scene, "body", 0), nullptr);
  EXPECT_EQ(scene.nodes.size(), 5u);  // outer with two frames, less, choice
}

TEST(ThunkScene, ARaceIsMarkedOnWhatIsShown) {
  ThunkStudy study = nested();
  study.races.push_back({6, 7, {}});
  const Scene open = sceneOf(study);
  EXPECT_EQ(find(open, "made", 6)->mark, SceneMark::kFault);
  EXPECT_EQ(find(open, "read", 7)->mark, SceneMark::kFault);
  EXPECT_EQ(find(open, "fewer", 5)->mark, SceneMark::kNone);
  ASSERT_EQ(open.edges.size(), 1u);
  EXPECT_EQ(open.edges[0].kind, SceneEdgeKind::kMissing);
  const Scene closed = sceneOf(study, {2});
  EXPECT_EQ(find(closed, "choice", 2)->mark, SceneMark::kFault);
  EXPECT_TRUE(closed.edges.empty());
}

}  // namespace
}  // namespace hilo
