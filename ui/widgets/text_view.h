// Shows a text of any length: opens a million lines at once, because only what is in sight is ever looked at.
// Read only. Lines and columns count from 0 here, from 1 where a person reads them. UI thread.
#pragma once

#include <QAbstractScrollArea>

#include "ui/widgets/shown_text.h"
#include "ui/widgets/text_painter.h"
#include "ui/widgets/text_search.h"

class QMenu;

namespace hilo {

class TextView : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit TextView(QWidget* parent = nullptr);

  // The caret goes to the start; folds, marks and matches are dropped.
  void setText(std::shared_ptr<const std::string> text);
  // The same, in time that does not depend on the length.
  void setContent(TextContent content);
  const TextLines& lines() const { return text_.lines(); }
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
  const TextRows& rows() const { return text_.rows(); }
  // Replaces lines by rows given one by one. Folding is off then.
  void setRows(std::vector<TextRow> rows);
  // Rows are as wide as the view: there is nothing to scroll to.
  void setWrapped(bool wrapped);
  int columnsInSight() const;
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

  TextSearch& search() { return *search_; }
  // To the next match of the search, or the one before.
  void findNext(bool backward = false);
  // To the first match at the place or after it, around the end.
  void findFrom(TextPosition place);

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
  void textChanged();
  void goToMatch(const TextMatch* found);
  void measure();
  void updateScrollBars();
  double columnAt(int x) const;
  // The row under the pointer; the last one below it, the first one above.
  int rowAt(int y) const;
  std::optional<TextRow> lineRowAt(int y) const;
  TextPosition positionAt(QPoint place) const;
  std::pair<TextPosition, TextPosition> selection() const {
    return anchor_ < caret_ ? std::pair(anchor_, caret_) : std::pair(caret_, anchor_);
  }

  void setCaret(TextPosition place, bool keepAnchor);
  void showCaret();
  void moveCaretByRows(int by, bool keepAnchor);
  bool moveCaretByKey(QKeyEvent* event);
  bool clickedFold(QPoint place);

  ShownText text_;
  TextAdditions additions_;
  TextMetrics metrics_;
  TextSearch* search_;
  int fontPx_;
  bool wrapped_ = false;

  TextPosition caret_;
  TextPosition anchor_;
  bool selecting_ = false;
  bool pressMoved_ = false;
  QPoint pressPlace_;
  int wantedColumn_ = -1;  // kept while the caret moves up and down
  QString caretWord_;
  QString hoveredName_;
};

}  // namespace hilo
