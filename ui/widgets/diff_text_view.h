// Two texts side by side, or in one column, aligned by pairs of lines that someone else has found. Unchanged
// runs are folded, the two sides scroll as one, and the spans that differ within a changed line stand out.
#pragma once

#include <memory>
#include <vector>

#include <QWidget>

#include "core/analysis/diff/unified_lines.h"
#include "ui/widgets/text_view.h"

class QSplitter;

namespace hilo {

// kMoved: of one side alone; its partner stands elsewhere.
enum class PairKind : uint8_t { kSame, kChanged, kAdded, kRemoved, kMoved };

struct DiffPair {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t left = kNone;  // lines, counted from 0
  uint32_t right = kNone;
  PairKind kind = PairKind::kSame;
  friend bool operator==(const DiffPair&, const DiffPair&) = default;
};

using ColumnSpans = std::vector<std::pair<uint32_t, uint32_t>>;  // start and length

// What differs between two versions of a line, by words: spans of `left` and of `right`.
std::pair<ColumnSpans, ColumnSpans> changedSpans(const QString& left, const QString& right);

// The rows of both sides for the pairs: runs of more than 2 * context unchanged pairs become gaps, except
// those whose first pair is in `openGaps`; with a context of UINT32_MAX nothing is folded. Row i of both
// sides belongs together; pairOfRow[i] is its (first) pair.
struct DiffRows {
  std::vector<TextRow> left;
  std::vector<TextRow> right;
  std::vector<uint32_t> pairOfRow;
};
DiffRows makeDiffRows(const std::vector<DiffPair>& pairs, uint32_t context,
                      const std::vector<uint32_t>& openGaps);

// Breaks lines that are longer than so many columns: more rows of the same line, both sides as many.
// `columnsOf` says how long a line of a side is.
DiffRows wrapDiffRows(const DiffRows& rows, uint32_t columnsLeft, uint32_t columnsRight,
                      const std::function<uint32_t(uint32_t line, bool inRight)>& columnsOf);

class DiffTextView : public QWidget {
  Q_OBJECT

 public:
  explicit DiffTextView(QWidget* parent = nullptr);

  // Of each line of a side the line of the other that is the same thing, or that it was made from or became
  // part of, wherever it stands; DiffPair::kNone for none. May be empty.
  struct Partners {
    std::vector<uint32_t> ofLeft, ofRight;
  };
  // `pairs` holds every line of both sides once, each side in order.
  void setTexts(std::shared_ptr<const std::string> left, std::shared_ptr<const std::string> right,
                std::vector<DiffPair> pairs, Partners partners = {});
  void setUnchangedFolded(bool folded);
  // One column: what went above what came, with - and + in front.
  void setUnified(bool unified);
  // Long lines go on in the next rows; else they are scrolled to.
  void setWrapped(bool wrapped);
  // The text after stands left. Nothing else changes.
  void setSwapped(bool swapped);
  TextView* unified() const { return unified_; }
  TextView* left() const { return left_; }
  TextView* right() const { return right_; }
  // Shows the next (or previous) run of changes after where the view is; false when there is none.
  bool goToChange(bool backward = false);
  int changeCount() const { return static_cast<int>(changeRows_.size()); }
  int currentChange() const { return currentChange_; }  // from 0; -1 before the first

 Q_SIGNALS:
  // Another change is shown, or there are others.
  void changesMoved();
  void nameActivated(const QString& name, bool inRight);
  void nameHovered(const QString& name, bool inRight);
  // A person moved the caret there; the other side went to the partner.
  void lineSelected(uint32_t line, bool inRight);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  class Overview;
  void connectSide(TextView* view, bool inRight);
  void connectUnified();
  void makeUnified();
  void rebuild();
  DiffRows wrapped(const DiffRows& rows) const;
  LineDecoration decorateUnified(uint32_t line) const;
  // What is in sight: the pairs by which it is built, and the view that scrolls.
  const std::vector<DiffPair>& shownPairs() const { return isUnified_ ? unifiedPairs_ : pairs_; }
  TextView* mainView() const { return isUnified_ ? unified_ : left_; }
  void syncFrom(TextView* from, TextView* to);
  LineDecoration decorate(uint32_t line, bool inRight) const;
  uint32_t partnerOf(uint32_t line, bool inRight) const;
  QString movedText(uint32_t line, bool inRight) const;
  void followCaret(uint32_t line, bool inRight);

  TextView* left_;
  TextView* right_;
  TextView* unified_;
  QSplitter* splitter_;
  Overview* overview_;
  std::vector<DiffPair> pairs_;
  std::vector<uint32_t> leftPair_;  // pair of each line
  std::vector<uint32_t> rightPair_;
  Partners partners_;
  std::vector<uint32_t> openGaps_;
  DiffRows rows_;
  mutable absl::flat_hash_map<uint32_t, std::pair<ColumnSpans, ColumnSpans>> spans_;  // of pairs seen lately
  std::vector<int> changeRows_;            // first row of each run of changes
  std::vector<UnifiedLine> unifiedLines_;  // of unified_, empty until it is shown
  std::vector<DiffPair> unifiedPairs_;     // one for each of them
  bool folded_ = true;
  bool isUnified_ = false;
  bool isWrapped_ = false;
  int currentChange_ = -1;
  bool syncing_ = false;
};

}  // namespace hilo
