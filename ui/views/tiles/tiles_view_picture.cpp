// What the tile view's picture of tiles is made of, and the view as a picture.
#include "core/hlo/ir/instruction.h"
#include "ui/models/text_of.h"
#include "ui/views/tiles/tiles_view.h"

namespace hilo {
namespace {

constexpr size_t kMostArrays = 13;  // more are in the table
constexpr int kTrail = 12;          // tiles launched before that are drawn

bool isRoot(const TilingSpace& space, size_t number) {
  return std::ranges::find(space.roots, number) != space.roots.end();
}

// Parameters and, of an instruction alone, its operands.
bool isOperand(const TiledInstruction& tiled) {
  return tiled.operands.empty() && tiled.instruction->opcode() != Opcode::Constant &&
         tiled.instruction->opcode() != Opcode::Iota;
}

PicturedArray pictured(const TilingSpace& space, const TileRegion& region, size_t number) {
  const Instruction& instruction = *space.instructions[number].instruction;
  return {.title = QString("%%1 %2").arg(qs(instruction.name()), shapeText(instruction.shape(), 40)),
          .region = region,
          .isResult = isRoot(space, number)};
}

}  // namespace

Status TilesView::prepare(const RenderRequest& request, const RenderSteps& steps) {
  if (!request.run) return steps.wait();
  details_->setCurrentWidget(tuned_);
  tuned_->tune();
  return steps.wait();
}

TilePictureContent TilesView::pictureContent(const std::vector<TileRegion>& regions) const {
  TilePictureContent content;
  for (const size_t root : space_.roots) content.arrays.push_back(pictured(space_, regions[root], root));
  for (size_t i = 0; i < regions.size() && content.arrays.size() < kMostArrays; ++i) {
    if (isOperand(space_.instructions[i]) && !regions[i].dimensions.empty() && !isRoot(space_, i))
      content.arrays.push_back(pictured(space_, regions[i], i));
  }
  const DrawnDimensions drawn = drawnDimensions(content.arrays[0].region);
  if (drawn.columns) content.tileColumns = tiling_.variables[*drawn.columns].tile;
  if (drawn.rows) content.tileRows = tiling_.variables[*drawn.rows].tile;
  content.before = launchedBefore();
  return content;
}

DrawnDimensions TilesView::drawnOfResult() const {
  return drawnDimensions(regionOf(space_, tiling_, space_.roots[0], tile_));
}

// The latest first: those that lie in the rows and columns that are drawn.
std::vector<TileRegion> TilesView::launchedBefore() const {
  std::vector<TileRegion> before;
  const auto counts = tileCounts(space_, tiling_);
  const int64_t number = programOf(launchOrder(), counts, tile_);
  const DrawnDimensions drawn = drawnOfResult();
  for (int64_t n = number - 1; n >= 0 && number - n <= kTrail; --n) {
    const auto tile = tileAt(launchOrder(), counts, n);
    bool isDrawn = true;
    for (size_t d = 0; d < counts.size(); ++d)
      isDrawn = isDrawn && (drawn.rows == d || drawn.columns == d || tile[d] == tile_[d]);
    if (isDrawn) before.push_back(regionOf(space_, tiling_, space_.roots[0], tile));
  }
  return before;
}

}  // namespace hilo
