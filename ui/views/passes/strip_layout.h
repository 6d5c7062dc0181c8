// Where the cells of the pass strip stand. Pure geometry, in pixels from the strip's left end.
#pragma once

#include <QRect>
#include <QSize>
#include <QString>
#include <optional>
#include <vector>

#include "core/workspace/passes/pass_series.h"

namespace hilo {

// What the strip knows of a step.
struct StripStep {
  StepKind kind = StepKind::Pass;
  QString name;
  QString pipeline;
  std::optional<PassOutcome> outcome;  // none: not known, or not compared yet
  QString made;                        // of a step of lowering: what it made
  int64_t reordered = -1;  // of a step that made an order and else nothing: how many stand elsewhere
  int64_t durationNs = -1;
  int64_t instructions = -1;   // after the step; -1: not known
  int64_t delta = 0;           // against the step before
  int64_t changes = -1;        // instructions that are not as in the step before; -1: not known
  bool isTheirs = false;       // a stage of XLA's, beside our own steps
  std::optional<bool> agrees;  // whether XLA's and ours are the same after this pass; none: not compared

  bool isLowering() const { return kind == StepKind::Lowering; }
  bool changed() const { return outcome == PassOutcome::Changed; }
  bool skipped() const {
    return outcome == PassOutcome::Disabled || outcome == PassOutcome::Failed || isAbsent();
  }
  // A pass of XLA's that is not there yet: shown grey.
  bool isAbsent() const { return outcome == PassOutcome::Absent; }
  // What a comparison with the step before says.
  void setCompared(bool changed) { outcome = changed ? PassOutcome::Changed : PassOutcome::Unchanged; }
};

struct StripCell {
  size_t first = 0;  // the steps it stands for: one, or a folded run of unchanged ones
  size_t last = 0;
  QRect rect;
  bool isFolded = false;
};

inline constexpr int kStripHeight = 58;
inline constexpr int kStripCellWidth = 152;
inline constexpr int kStripFoldedWidth = 40;

// Runs of two or more passes known to have changed nothing become one narrow cell when `fold`, but for
// `current`, which always has a cell of its own. Step 0 is never folded. With `wanted`, steps in rising
// order, all runs of others become one, of a single step too.
std::vector<StripCell> layOutStrip(const std::vector<StripStep>& steps, bool fold, size_t current,
                                   const std::optional<std::vector<size_t>>& wanted = std::nullopt);
// The cell at a place, or -1.
int stripCellAt(const std::vector<StripCell>& cells, int x);
int stripCellOf(const std::vector<StripCell>& cells, size_t step);
// The next step that may have changed something, or lowered the module, in the given direction (+1 or -1);
// without one, the last or the first step.
size_t nextChangedStep(const std::vector<StripStep>& steps, size_t from, int direction);

}  // namespace hilo
