#include "ui/models/selection_bus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilo {
namespace {

using testing::ElementsAre;

const Selection kA{DocumentId{0}, SnapshotId{0}, ComputationId{1}, InstructionId{2}};
const Selection kB{DocumentId{0}, SnapshotId{0}, ComputationId{1}, InstructionId{3}};

struct Heard {
  SelectionBus bus;
  std::vector<std::string> words;
  Heard() {
    QObject::connect(&bus, &SelectionBus::hoverChanged, [this] { words.push_back("hover"); });
    QObject::connect(&bus, &SelectionBus::selectionChanged, [this] { words.push_back("select"); });
    QObject::connect(&bus, &SelectionBus::activated, [this] { words.push_back("activate"); });
  }
};

TEST(SelectionBus, SaysEachChangeOnce) {
  Heard heard;
  heard.bus.hover(kA);
  heard.bus.hover(kA);
  heard.bus.select(kA);
  heard.bus.select(kA);
  EXPECT_THAT(heard.words, ElementsAre("hover", "select"));
  EXPECT_EQ(heard.bus.selected(), kA);
}

TEST(SelectionBus, ActivateSelectsFirstAndAlwaysSpeaks) {
  Heard heard;
  heard.bus.activate(kB);
  heard.bus.activate(kB);
  EXPECT_THAT(heard.words, ElementsAre("select", "activate", "activate"));
}

}  // namespace
}  // namespace hilo
