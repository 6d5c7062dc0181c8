// Shows a text of any length: opens a million lines at once, because only what is in sight is ever looked at.
// Read only. Lines and columns count from 0 here, from 1 where a person reads them. UI thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <QAbstractScrollArea>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/workspace/job_queue.h"
#include "ui/widgets/display_line.h"
#include "ui/widgets/text_find.h"
#include "ui/widgets/text_rows.h"

class QMenu;

namespace hilo {

// How a line stands out. kCount in a role means none.
struct LineDecoration {
  ColourRole background = ColourRole::kCount;
  ColourRole spanBackground = ColourRole::kCount;
  std::vector<std::pair<uint32_t, uint32_t>> spans;  // start and length, in source columns
};

// A mark in the gutter: kMarkAdded, kMarkChanged, kMarkRemoved, kError, kWarning, ...
struct LineMark {
  uint32_t line = 0;
  ColourRole role = ColourRole::kMarkChanged;
};

// A text made ready to show: its lines and what can be folded. Long texts are made ready in a job.
struct TextContent {
  explicit TextContent(std::shared_ptr<const std::string> text);
  std::shared_ptr<const TextLines> lines;
  std::vector<FoldRegion> regions;
};

class TextView : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit TextView(QWidget* parent = nullptr);

  // The caret goes to the start; folds, marks and matches are dropped.
  void setText(std::shared_ptr<const std::string> text);
  // The same, in time that does not depend on the length.
  void setContent(TextContent content);
  const TextLines& lines() const { return *lines_; }
  void setLexer(LineLexer lexer);
  // One a line at most, in any order.
  void setMarks(std::vector<LineMark> marks);
  // Asked for the lines in sight only; called again when the text or refresh() says so.
  void setDecorator(std::function<LineDecoration(uint32_t line)> decorator);
  void refresh();
  // Facts of a line, written faintly behind its text; they are no part of it: not found, not copied. Asked
  // for the lines in sight only; null for none.
  void setGhosts(std::function<QString(uint32_t line)> ghosts);

  // Regions a person can fold: the `{ ... }` blocks of the text.
  void setFoldable(bool foldable);
  void setAllFolded(bool folded);
  // Texts open with their tables of files, functions and stack frames folded.
  void setTablesFolded(bool folded);
  const TextRows& rows() const { return rows_; }
  // Replaces lines by rows given one by one. Folding is off then.
  void setRows(std::vector<TextRow> rows);
  // Shows metadata={...} and the like as {…}; a click on one opens it.
  void setTailsFolded(bool folded);

  // Moves the caret there and shows it, unfolding what hides it.
  void goTo(TextPosition place);
  TextPosition caret() const { return caret_; }
  QString selectedText() const;
  void copy() const;
  void selectAll();
  // Every whole-word occurrence in sight is marked; empty marks the word at the caret.
  void setHighlightedWord(const QString& word);

  // Searches off the UI thread; findChanged tells what came of it. Empty text ends the search.
  void find(const FindQuery& query);
  // Where it is searched: set before the first find().
  void setJobs(JobQueue& jobs);
  void findNext(bool backward = false);

  int firstRow() const;
  void setFirstRow(int row);
  int rowsInSight() const;
  void setCodeFontPx(int px);

  // The word at a place of the viewport, when it is a name; else empty.
  QString nameAt(QPoint place) const;

 Q_SIGNALS:
  void cursorMoved(int line, int column);
  // A click on a name, or Enter with the caret on it: without its leading '%'.
  void nameActivated(const QString& name, int line);
  // Enter where the caret is on no name.
  void lineActivated(int line);
  void nameHovered(const QString& name);  // empty when the pointer leaves
  // `current` counts from 1; 0 before the first step.
  void findChanged(int current, int total, bool truncated);
  void findFailed(const QString& why);
  void findAsked();
  void goToLineAsked();
  void gapActivated(int row);
  void scrolled();
  // The menu is about to be shown, the caret is where it was asked for: the owner adds what else can be done.
  void menuAsked(QMenu* menu);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void findAgain();
  void showMatches(Result<TextMatches> matches);
  void measure();
  void updateScrollBars();
  void resetRows();
  const DisplayLine& display(uint32_t line) const;
  void forgetDisplay();
  double textLeft() const { return gutterWidth_ + 6; }
  double columnX(uint32_t displayColumn) const;
  int rowAt(int y) const;
  TextPosition positionAt(QPoint place) const;
  uint32_t displayColumnAt(int x) const;
  const LineMark* markAt(uint32_t line) const;
  std::pair<TextPosition, TextPosition> selection() const { return std::minmax(anchor_, caret_); }
  QString wordAt(TextPosition place) const;

  void setCaret(TextPosition place, bool keepAnchor);
  void showCaret();
  void moveCaretByRows(int rows, bool keepAnchor);
  bool moveCaretByKey(QKeyEvent* event);
  bool clickedFold(QPoint place);
  void stepTo(size_t match);

  void paintRow(QPainter& painter, int row, double y);
  void paintGhost(QPainter& painter, uint32_t line, const DisplayLine& shown, double y);
  void paintGap(QPainter& painter, const TextRow& row, double y);
  ColourRole groundOf(uint32_t line) const;
  void paintBackgrounds(QPainter& painter, uint32_t line, const DisplayLine& shown, double y);
  void paintText(QPainter& painter, const DisplayLine& shown, double y);
  void paintGutter(QPainter& painter, const TextRow& row, double y);
  void fillColumns(QPainter& painter, const DisplayLine& shown, uint32_t from, uint32_t to, double y,
                   ColourRole role);
  void paintOccurrences(QPainter& painter, const DisplayLine& shown, double y);
  void paintMatches(QPainter& painter, uint32_t line, const DisplayLine& shown, double y);

  std::shared_ptr<const TextLines> lines_;
  std::vector<FoldRegion> regions_;
  TextRows rows_;
  bool foldable_ = true;
  bool explicitRows_ = false;
  bool foldTails_ = false;
  bool foldTables_ = false;
  absl::flat_hash_set<uint32_t> openTails_;  // lines whose tails are shown though tails are folded
  LineLexer lexer_;
  std::vector<LineMark> marks_;  // by line
  std::function<LineDecoration(uint32_t)> decorator_;
  std::function<QString(uint32_t)> ghosts_;

  TextPosition caret_;
  TextPosition anchor_;
  bool selecting_ = false;
  bool pressMoved_ = false;
  QPoint pressPlace_;
  int wantedColumn_ = -1;  // kept while the caret moves up and down
  QString highlighted_;
  QString caretWord_;
  QString hoveredName_;

  JobQueue* jobs_ = nullptr;
  std::string findTag_;
  JobScope scope_;
  FindQuery query_;
  std::shared_ptr<const TextMatches> matches_;
  std::optional<size_t> currentMatch_;

  int fontPx_;
  double cellWidth_ = 8;
  int rowHeight_ = 16;
  int ascent_ = 12;
  double gutterWidth_ = 40;
  mutable absl::flat_hash_map<uint32_t, std::unique_ptr<DisplayLine>> displayed_;
};

}  // namespace hilo
