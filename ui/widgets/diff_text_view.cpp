#include "ui/widgets/diff_text_view.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSplitter>

#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr uint32_t kContextLines = 3;
constexpr uint32_t kShowAll = UINT32_MAX;
constexpr uint32_t kMarkColumns = 2;  // "- " and "+ " in front of a line of one column
// Past this many word pairs the exact comparison of a line is too slow; the differing middle is marked whole.
constexpr size_t kMaxWordPairs = 100'000;

struct Word {
  uint32_t start;
  uint32_t length;
};

// Runs of name characters, and every other character by itself.
std::vector<Word> splitWords(const QString& text) {
  std::vector<Word> words;
  auto inName = [&](qsizetype at) {
    return text[at].isLetterOrNumber() || text[at] == u'_' || text[at] == u'.';
  };
  for (qsizetype at = 0; at < text.size();) {
    qsizetype end = at + 1;
    if (inName(at)) {
      while (end < text.size() && inName(end)) ++end;
    }
    words.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(end - at)});
    at = end;
  }
  return words;
}

QStringView wordText(const QString& text, const Word& word) {
  return QStringView(text).mid(word.start, word.length);
}

void addSpan(ColumnSpans& spans, const Word& word) {
  if (!spans.empty() && spans.back().first + spans.back().second == word.start) {
    spans.back().second += word.length;
  } else {
    spans.emplace_back(word.start, word.length);
  }
}

ColourRole lineRole(PairKind kind, bool inRight) {
  switch (kind) {
    case PairKind::kSame:
      return ColourRole::kCount;
    case PairKind::kChanged:
      return inRight ? ColourRole::kAdded : ColourRole::kRemoved;
    case PairKind::kAdded:
      return ColourRole::kAdded;
    case PairKind::kRemoved:
      return ColourRole::kRemoved;
    case PairKind::kMoved:
      return ColourRole::kMoved;
  }
  return ColourRole::kCount;
}

}  // namespace

std::pair<ColumnSpans, ColumnSpans> changedSpans(const QString& left, const QString& right) {
  const std::vector<Word> a = splitWords(left), b = splitWords(right);
  auto same = [&](size_t i, size_t j) { return wordText(left, a[i]) == wordText(right, b[j]); };
  size_t head = 0;
  while (head < a.size() && head < b.size() && same(head, head)) ++head;
  size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head && same(a.size() - 1 - tail, b.size() - 1 - tail))
    ++tail;
  const size_t n = a.size() - head - tail, m = b.size() - head - tail;
  std::pair<ColumnSpans, ColumnSpans> spans;
  if (n * m > kMaxWordPairs) {
    for (size_t i = 0; i < n; ++i) addSpan(spans.first, a[head + i]);
    for (size_t j = 0; j < m; ++j) addSpan(spans.second, b[head + j]);
    return spans;
  }
  // Longest common subsequence of the words between.
  std::vector<uint32_t> length((n + 1) * (m + 1), 0);
  auto at = [&](size_t i, size_t j) -> uint32_t& { return length[i * (m + 1) + j]; };
  for (size_t i = n; i-- > 0;) {
    for (size_t j = m; j-- > 0;) {
      at(i, j) = same(head + i, head + j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  size_t i = 0, j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && same(head + i, head + j)) {
      ++i, ++j;
    } else if (j == m || (i < n && at(i + 1, j) >= at(i, j + 1))) {
      addSpan(spans.first, a[head + i++]);
    } else {
      addSpan(spans.second, b[head + j++]);
    }
  }
  return spans;
}

DiffRows makeDiffRows(const std::vector<DiffPair>& pairs, uint32_t context,
                      const std::vector<uint32_t>& openGaps) {
  DiffRows rows;
  auto add = [&](uint32_t pair) {
    auto row = [](uint32_t line) {
      return line == DiffPair::kNone ? TextRow{TextRow::Kind::kFiller, 0}
                                     : TextRow{TextRow::Kind::kLine, line};
    };
    rows.left.push_back(row(pairs[pair].left));
    rows.right.push_back(row(pairs[pair].right));
    rows.pairOfRow.push_back(pair);
  };
  const auto count = static_cast<uint32_t>(pairs.size());
  for (uint32_t begin = 0; begin < count;) {
    if (pairs[begin].kind != PairKind::kSame) {
      add(begin++);
      continue;
    }
    uint32_t end = begin;
    while (end < count && pairs[end].kind == PairKind::kSame) ++end;
    // No context is needed before the first or after the last change.
    const uint32_t room = std::min(context, end - begin);
    const uint32_t first = begin == 0 ? begin : begin + room;
    const uint32_t last = end == count ? end : std::max(first, end - room);
    const bool open = std::find(openGaps.begin(), openGaps.end(), first) != openGaps.end();
    const bool fold = context != UINT32_MAX && last > first + 1 && !open;
    for (uint32_t pair = begin; pair < end; ++pair) {
      if (fold && pair == first) {
        rows.left.push_back({TextRow::Kind::kGap, last - first});
        rows.right.push_back({TextRow::Kind::kGap, last - first});
        rows.pairOfRow.push_back(first);
        pair = last - 1;
        continue;
      }
      add(pair);
    }
    begin = end;
  }
  return rows;
}

DiffRows wrapDiffRows(const DiffRows& rows, uint32_t columnsLeft, uint32_t columnsRight,
                      const std::function<uint32_t(uint32_t line, bool inRight)>& columnsOf) {
  DiffRows wrapped;
  const auto rowsOf = [&](const TextRow& row, bool inRight) -> uint32_t {
    if (row.kind != TextRow::Kind::kLine) return 1;
    const uint32_t columns = std::max(1U, inRight ? columnsRight : columnsLeft);
    return std::max(1U, (std::min(columnsOf(row.line, inRight), kMaxDrawnColumns) + columns - 1) / columns);
  };
  const auto add = [&](std::vector<TextRow>& side, const TextRow& row, uint32_t part, uint32_t parts,
                       uint32_t columns) {
    const bool isOver = row.kind == TextRow::Kind::kLine && part >= parts;
    side.push_back(isOver ? TextRow{TextRow::Kind::kFiller, 0} : TextRow{row.kind, row.line, part * columns});
  };
  for (size_t n = 0; n < rows.left.size(); ++n) {
    const uint32_t left = rowsOf(rows.left[n], false), right = rowsOf(rows.right[n], true);
    for (uint32_t part = 0; part < std::max(left, right); ++part) {
      add(wrapped.left, rows.left[n], part, left, columnsLeft);
      add(wrapped.right, rows.right[n], part, right, columnsRight);
      wrapped.pairOfRow.push_back(rows.pairOfRow[n]);
    }
  }
  return wrapped;
}

// A strip with all changes of the texts at a glance; a click goes there.
class DiffTextView::Overview : public QWidget {
 public:
  explicit Overview(DiffTextView* view) : QWidget(view), view_(view) {
    setFixedWidth(12);
    setToolTip(tr("All changes; click to go there"));
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const Theme& theme = themeOf(*this);
    painter.fillRect(rect(), theme.colour(ColourRole::kSurfaceRaised));
    const auto& rows = view_->rows_.pairOfRow;
    if (rows.empty()) return;
    const double scale = static_cast<double>(height()) / static_cast<double>(rows.size());
    // One pass over the pixels, not over the rows: a large diff has many rows a pixel.
    for (size_t i = 0; i < rows.size();) {
      const PairKind kind = view_->shownPairs()[rows[i]].kind;
      size_t end = i + 1;
      while (end < rows.size() && view_->shownPairs()[rows[end]].kind == kind) ++end;
      if (kind != PairKind::kSame) {
        const ColourRole role = kind == PairKind::kAdded     ? ColourRole::kMarkAdded
                                : kind == PairKind::kRemoved ? ColourRole::kMarkRemoved
                                : kind == PairKind::kMoved   ? ColourRole::kAccent
                                                             : ColourRole::kMarkChanged;
        const double top = static_cast<double>(i) * scale;
        painter.fillRect(QRectF(2, top, width() - 4, std::max(2.0, static_cast<double>(end - i) * scale)),
                         theme.colour(role));
      }
      i = end;
    }
    const TextView* shown = view_->mainView();
    const double top = shown->placed().firstRow * scale;
    painter.setPen(theme.colour(ColourRole::kTextDim));
    painter.drawRect(
        QRectF(0, top, width() - 1, std::min(shown->placed().rowsInSight() * scale, height() - 1.0)));
  }

  void mousePressEvent(QMouseEvent* event) override {
    const double share = event->position().y() / std::max(1, height());
    const auto row = static_cast<int>(share * static_cast<double>(view_->rows_.pairOfRow.size()));
    view_->mainView()->setFirstRow(row - view_->mainView()->placed().rowsInSight() / 2);
  }

 private:
  DiffTextView* view_;
};

DiffTextView::DiffTextView(QWidget* parent)
    : QWidget(parent),
      left_(new TextView),
      right_(new TextView),
      unified_(new TextView),
      splitter_(new QSplitter(Qt::Horizontal)),
      overview_(new Overview(this)) {
  splitter_->addWidget(left_);
  splitter_->addWidget(right_);
  splitter_->setChildrenCollapsible(false);
  splitter_->setHandleWidth(1);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(splitter_, 1);
  row->addWidget(unified_, 1);
  row->addWidget(overview_);
  unified_->hide();
  setFocusProxy(left_);
  left_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connectSide(left_, false);
  connectSide(right_, true);
  connectUnified();
  connect(splitter_, &QSplitter::splitterMoved, this, [this] {
    if (isWrapped_) rebuild();
  });
}

void DiffTextView::connectSide(TextView* view, bool inRight) {
  TextView* other = inRight ? left_ : right_;
  view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  view->shown().setFoldable(false);
  view->additions().setDecorator([this, inRight](uint32_t line) { return decorate(line, inRight); });
  view->additions().setGhosts([this, inRight](uint32_t line) { return movedText(line, inRight); });
  view->setAccessibleName(inRight ? "Text after" : "Text before");
  connect(&view->caret(), &TextCaret::moved, this, [this, view, inRight](int line) {
    if (view->hasFocus()) followCaret(static_cast<uint32_t>(line), inRight);
  });
  connect(view, &TextView::scrolled, this, [this, view, other] { syncFrom(view, other); });
  connect(view, &TextView::gapActivated, this, [this](int row) {
    openGaps_.push_back(rows_.pairOfRow[static_cast<size_t>(row)]);
    rebuild();
  });
  connect(view, &TextView::nameActivated, this,
          [this, inRight](const QString& name) { Q_EMIT nameActivated(name, inRight); });
  connect(view, &TextView::nameHovered, this, [this, inRight, other](const QString& name) {
    other->additions().setHighlightedWord(name);
    Q_EMIT nameHovered(name, inRight);
  });
}

void DiffTextView::connectUnified() {
  unified_->shown().setFoldable(false);
  unified_->additions().setDecorator([this](uint32_t line) { return decorateUnified(line); });
  unified_->setAccessibleName("Text before and after");
  const auto sideOf = [this](int line) { return unifiedLines_[static_cast<size_t>(line)]; };
  connect(&unified_->caret(), &TextCaret::moved, this, [this, sideOf](int line) {
    if (unified_->hasFocus()) Q_EMIT lineSelected(sideOf(line).line, sideOf(line).inRight);
  });
  connect(unified_, &TextView::scrolled, this, [this] { overview_->update(); });
  connect(unified_, &TextView::gapActivated, this, [this](int row) {
    openGaps_.push_back(rows_.pairOfRow[static_cast<size_t>(row)]);
    rebuild();
  });
  connect(unified_, &TextView::nameActivated, this, [this, sideOf](const QString& name, int line) {
    Q_EMIT nameActivated(name, sideOf(line).inRight);
  });
}

void DiffTextView::setTexts(std::shared_ptr<const std::string> left, std::shared_ptr<const std::string> right,
                            std::vector<DiffPair> pairs, Partners partners) {
  partners_ = std::move(partners);
  left_->setText(std::move(left));
  right_->setText(std::move(right));
  pairs_ = std::move(pairs);
  leftPair_.assign(left_->lines().count(), DiffPair::kNone);
  rightPair_.assign(right_->lines().count(), DiffPair::kNone);
  for (uint32_t i = 0; i < pairs_.size(); ++i) {
    if (pairs_[i].left != DiffPair::kNone) leftPair_.at(pairs_[i].left) = i;
    if (pairs_[i].right != DiffPair::kNone) rightPair_.at(pairs_[i].right) = i;
  }
  openGaps_.clear();
  spans_.clear();
  currentChange_ = -1;
  unifiedLines_.clear();
  if (isUnified_) makeUnified();
  rebuild();
}

void DiffTextView::setUnified(bool unified) {
  isUnified_ = unified;
  if (unified && unifiedLines_.empty()) makeUnified();
  splitter_->setVisible(!unified);
  unified_->setVisible(unified);
  setFocusProxy(mainView());
  openGaps_.clear();
  currentChange_ = -1;
  rebuild();
}

void DiffTextView::setWrapped(bool wrapped) {
  isWrapped_ = wrapped;
  for (TextView* view : {left_, right_, unified_}) {
    view->setWrapped(wrapped);
    view->setHorizontalScrollBarPolicy(wrapped ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAlwaysOn);
  }
  currentChange_ = -1;
  rebuild();
}

void DiffTextView::setSwapped(bool swapped) {
  splitter_->insertWidget(0, swapped ? right_ : left_);
  left_->setVerticalScrollBarPolicy(swapped ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
  right_->setVerticalScrollBarPolicy(swapped ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
}

void DiffTextView::makeUnified() {
  std::vector<DiffRow> rows;
  rows.reserve(pairs_.size());
  for (const DiffPair& pair : pairs_) {
    const DiffKind kind = pair.kind == PairKind::kSame ? DiffKind::Same : DiffKind::Changed;
    rows.push_back({kind, pair.left, pair.right});
  }
  unifiedLines_ = unifiedLines(rows);
  unifiedPairs_.clear();
  auto text = std::make_shared<std::string>();
  for (uint32_t n = 0; n < unifiedLines_.size(); ++n) {
    const UnifiedLine& line = unifiedLines_[n];
    unifiedPairs_.push_back({n, n, pairs_[line.row].kind});
    *text += line.kind == DiffKind::Same ? "  " : line.inRight ? "+ " : "- ";
    *text += (line.inRight ? right_ : left_)->lines().line(line.line);
    if (n + 1 < unifiedLines_.size()) *text += '\n';
  }
  unified_->setText(TextContent(std::move(text)));
}

void DiffTextView::setUnchangedFolded(bool folded) {
  folded_ = folded;
  openGaps_.clear();
  rebuild();
}

DiffRows DiffTextView::wrapped(const DiffRows& rows) const {
  const auto columnsOf = [this](uint32_t line, bool inRight) {
    const TextView* side = isUnified_ ? unified_ : inRight ? right_ : left_;
    return static_cast<uint32_t>(side->lines().lineText(line).size());
  };
  const auto columns = [this](const TextView* view) {
    return static_cast<uint32_t>((isUnified_ ? unified_ : view)->placed().columnsInSight());
  };
  return wrapDiffRows(rows, columns(left_), columns(right_), columnsOf);
}

void DiffTextView::rebuild() {
  TextView* main = mainView();
  const int first = main->placed().firstRow;
  const std::vector<DiffPair>& pairs = shownPairs();
  rows_ = makeDiffRows(pairs, folded_ ? kContextLines : kShowAll, openGaps_);
  if (isWrapped_) rows_ = wrapped(rows_);
  changeRows_.clear();
  for (size_t i = 0; i < rows_.pairOfRow.size(); ++i) {
    const bool change = pairs[rows_.pairOfRow[i]].kind != PairKind::kSame;
    const bool before = i > 0 && pairs[rows_.pairOfRow[i - 1]].kind != PairKind::kSame;
    if (change && !before) changeRows_.push_back(static_cast<int>(i));
  }
  if (isUnified_) {
    unified_->shown().setRows(rows_.left);
  } else {
    left_->shown().setRows(rows_.left);
    right_->shown().setRows(rows_.right);
  }
  main->setFirstRow(first);
  if (!isUnified_) syncFrom(left_, right_);
  overview_->update();
  Q_EMIT changesMoved();
}

void DiffTextView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (isWrapped_) rebuild();
}

void DiffTextView::syncFrom(TextView* from, TextView* to) {
  if (syncing_) return;
  syncing_ = true;
  to->setFirstRow(from->placed().firstRow);
  QScrollBar* bar = to->horizontalScrollBar();
  bar->setMaximum(std::max(bar->maximum(), from->horizontalScrollBar()->value()));
  bar->setValue(from->horizontalScrollBar()->value());
  syncing_ = false;
  overview_->update();
}

LineDecoration DiffTextView::decorate(uint32_t line, bool inRight) const {
  const auto& pairOf = inRight ? rightPair_ : leftPair_;
  if (line >= pairOf.size() || pairOf[line] == DiffPair::kNone) return {};
  const DiffPair& pair = pairs_[pairOf[line]];
  LineDecoration decoration;
  decoration.background = lineRole(pair.kind, inRight);
  if (pair.kind != PairKind::kChanged) return decoration;
  decoration.spanBackground = inRight ? ColourRole::kAddedStrong : ColourRole::kRemovedStrong;
  if (spans_.size() > 1'000) spans_.clear();
  const auto [at, isNew] = spans_.try_emplace(pairOf[line]);
  if (isNew)
    at->second = changedSpans(left_->lines().lineText(pair.left), right_->lines().lineText(pair.right));
  decoration.spans = inRight ? at->second.second : at->second.first;
  return decoration;
}

LineDecoration DiffTextView::decorateUnified(uint32_t line) const {
  if (line >= unifiedLines_.size()) return {};
  const UnifiedLine& shown = unifiedLines_[line];
  LineDecoration decoration = decorate(shown.line, shown.inRight);
  for (auto& span : decoration.spans) span.first += kMarkColumns;
  return decoration;
}

uint32_t DiffTextView::partnerOf(uint32_t line, bool inRight) const {
  const auto& partners = inRight ? partners_.ofRight : partners_.ofLeft;
  if (line < partners.size() && partners[line] != DiffPair::kNone) return partners[line];
  const auto& pairOf = inRight ? rightPair_ : leftPair_;
  if (line >= pairOf.size() || pairOf[line] == DiffPair::kNone) return DiffPair::kNone;
  const DiffPair& pair = pairs_[pairOf[line]];
  return inRight ? pair.left : pair.right;
}

QString DiffTextView::movedText(uint32_t line, bool inRight) const {
  const auto& pairOf = inRight ? rightPair_ : leftPair_;
  if (line >= pairOf.size() || pairOf[line] == DiffPair::kNone) return {};
  const uint32_t partner = partnerOf(line, inRight);
  if (partner == DiffPair::kNone) return {};
  switch (pairs_[pairOf[line]].kind) {
    case PairKind::kSame:
    case PairKind::kChanged:
      return {};
    case PairKind::kAdded:
      return QString("made from line %1").arg(partner + 1);
    case PairKind::kRemoved:
      return QString("became part of line %1").arg(partner + 1);
    case PairKind::kMoved:
      return QString(inRight ? "moved here from line %1" : "moved to line %1").arg(partner + 1);
  }
  return {};
}

// The other side shows the same thing, even where it stands elsewhere.
void DiffTextView::followCaret(uint32_t line, bool inRight) {
  const uint32_t partner = partnerOf(line, inRight);
  TextView* other = inRight ? left_ : right_;
  if (partner != DiffPair::kNone) {
    const auto& pairOf = inRight ? rightPair_ : leftPair_;
    const PairKind kind = pairs_[pairOf[line]].kind;
    const bool beside = kind == PairKind::kSame || kind == PairKind::kChanged;
    // Scrolling one scrolls both, so a partner that is far away is marked and told, not gone to.
    syncing_ = true;
    if (beside) other->goTo({partner, 0});
    syncing_ = false;
  }
  Q_EMIT lineSelected(line, inRight);
}

bool DiffTextView::goToChange(bool backward) {
  const int next = currentChange_ + (backward ? -1 : 1);
  if (next < 0 || next >= changeCount()) return false;
  currentChange_ = next;
  const int row = changeRows_[static_cast<size_t>(next)];
  mainView()->setFirstRow(row - mainView()->placed().rowsInSight() / 3);
  const DiffPair& pair = shownPairs()[rows_.pairOfRow[static_cast<size_t>(row)]];
  if (isUnified_) {
    unified_->goTo({pair.left, 0});
  } else {
    if (pair.left != DiffPair::kNone) left_->goTo({pair.left, 0});
    if (pair.right != DiffPair::kNone) right_->goTo({pair.right, 0});
  }
  Q_EMIT changesMoved();
  return true;
}

void DiffTextView::keyPressEvent(QKeyEvent* event) {
  const bool isF7 = event->key() == Qt::Key_F7;
  if (event->key() == Qt::Key_N || isF7) {
    goToChange(isF7 && event->modifiers().testFlag(Qt::ShiftModifier));
  } else if (event->key() == Qt::Key_P) {
    goToChange(true);
  } else {
    QWidget::keyPressEvent(event);
  }
}

}  // namespace hilo
