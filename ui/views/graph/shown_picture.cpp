#include "ui/views/graph/shown_picture.h"

#include <QThreadPool>

#include "ui/views/graph/graph_card.h"

namespace hilo {
namespace {

// Freeing the strings of a large picture takes longer than a frame. No job, as nobody waits for it.
void releaseElsewhere(std::shared_ptr<const GraphPicture> old) {
  constexpr size_t kManyNodes = 2'000;
  if (old == nullptr || old->instructions.size() < kManyNodes) return;
  QThreadPool::globalInstance()->start([old = std::move(old)]() mutable { old.reset(); });
}

}  // namespace

void ShownPicture::set(std::shared_ptr<const GraphPicture> picture) {
  releaseElsewhere(std::exchange(picture_, std::move(picture)));
}

const Instruction* ShownPicture::instructionAt(SceneNodeId key) const {
  if (picture_ == nullptr || key == kNoSceneNode) return nullptr;
  const uint32_t node = canvas_.index().find(key);
  return node == kNoIndex ? nullptr : picture_->instructions[node];
}

uint32_t ShownPicture::nodeOf(const Instruction* instruction) const {
  if (instruction == nullptr || picture_ == nullptr) return kNoIndex;
  const auto node = picture_->nodeOf.find(instruction);
  return node == picture_->nodeOf.end() ? kNoIndex : node->second;
}

QString ShownPicture::cardOf(SceneNodeId key, const ModuleCost* cost) const {
  const uint32_t node = canvas_.index().find(key);
  if (picture_ == nullptr || node == kNoIndex) return {};
  return nodeHtml(*picture_, canvas_.scene().nodes[node], node, cost);
}

}  // namespace hilo
