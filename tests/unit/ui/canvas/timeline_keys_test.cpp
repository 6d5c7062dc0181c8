// The keys of a timeline, as every view with one takes them.
#include "ui/canvas/timeline_keys.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

std::optional<TimelineMove> pressed(int key, Qt::KeyboardModifiers modifiers = {}) {
  return timelineMoveOf(QKeyEvent(QEvent::KeyPress, key, modifiers));
}

TEST(TimelineKeys, ZoomPanAndFit) {
  EXPECT_EQ(pressed(Qt::Key_W), TimelineMove::kZoomIn);
  EXPECT_EQ(pressed(Qt::Key_Plus, Qt::ShiftModifier), TimelineMove::kZoomIn);
  EXPECT_EQ(pressed(Qt::Key_S), TimelineMove::kZoomOut);
  EXPECT_EQ(pressed(Qt::Key_A), TimelineMove::kPanLeft);
  EXPECT_EQ(pressed(Qt::Key_D), TimelineMove::kPanRight);
  EXPECT_EQ(pressed(Qt::Key_F), TimelineMove::kFit);
}

TEST(TimelineKeys, ShortcutsOfTheWindowAreLeftAlone) {
  EXPECT_EQ(pressed(Qt::Key_S, Qt::ControlModifier), std::nullopt);
  EXPECT_EQ(pressed(Qt::Key_D, Qt::AltModifier), std::nullopt);
  EXPECT_EQ(pressed(Qt::Key_Left), std::nullopt);
}

}  // namespace
}  // namespace hilo
