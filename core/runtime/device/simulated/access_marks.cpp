#include "core/runtime/device/simulated/access_marks.h"

namespace hilo {
namespace {

CellMarks cellOf(const LineMarks& line, uint32_t cell) { return {line.written.of(cell), line.read.of(cell)}; }

}  // namespace

void MarkArray::make(uint64_t cells, bool hasRuns) {
  const uint64_t lines = (cells >> kLineShift) + 1;
  cells_.reset(static_cast<CellMarks*>(std::calloc(lines * kLineCells, sizeof(CellMarks))));
  lines_.reset(hasRuns ? static_cast<LineMarks*>(std::calloc(lines, sizeof(LineMarks))) : nullptr);
  if (hasRuns && lines_ == nullptr) cells_ = nullptr;
}

void MarkArray::spread(uint64_t line) {
  LineMarks& marks = lines_[line];
  for (uint32_t i = 0; i < kLineCells; ++i) cells_[line << kLineShift | i] = cellOf(marks, i);
  marks.written.time = LineMarks::kSpread;
}

CellMarks MarkArray::valueAt(uint64_t cell) const {
  if (lines_ != nullptr && !lines_[cell >> kLineShift].isSpread())
    return cellOf(lines_[cell >> kLineShift], cell & (kLineCells - 1));
  return cells_[cell];
}

}  // namespace hilo
