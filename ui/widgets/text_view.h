// Shows a text of any length: opens a million lines at once, because only what is in sight is ever looked at.
// Read only. Lines and columns count from 0 here, from 1 where a person reads them. UI thread.
#pragma once

#include <QAbstractScrollArea>

#include "ui/widgets/placed_text.h"
#include "ui/widgets/text_additions.h"
#include "ui/widgets/text_caret.h"
#include "ui/widgets/text_search.h"

class QMenu;

namespace hilo {

class TextView : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit TextView(QWidget* parent = nullptr);

  // The caret goes to the start; folds, marks and matches are dropped. Takes time by the length only when it
  // is given as a string.
  void setText(TextContent text) { text_.setContent(std::move(text)); }
  // Which of its lines are shown, and how each is drawn.
  ShownText& shown() { return text_; }
  const TextLines& lines() const { return text_.lines(); }
  TextAdditions& additions() { return additions_; }
  TextCaret& caret() { return caret_; }
  TextSearch& search() { return search_; }
  // Until it is scrolled or changes.
  PlacedText placed() const;

  // Rows are as wide as the view: there is nothing to scroll to.
  void setWrapped(bool wrapped);
  // Moves the caret there and shows it, unfolding what hides it.
  void goTo(TextPosition place);
  // To the next match of the search, or the one before.
  void findNext(bool backward = false);
  void setFirstRow(int row);
  void setCodeFontPx(int px);

 Q_SIGNALS:
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
  void showStart();
  void goToMatch(const TextMatch& match);
  void layOut();
  void updateScrollBars();
  void showCaret();
  bool clickedFold(QPoint place);

  ShownText text_;
  TextAdditions additions_;
  TextCaret caret_;
  TextSearch search_;
  TextMetrics metrics_;
  int fontPx_;
  bool wrapped_ = false;

  bool selecting_ = false;
  bool pressMoved_ = false;
  QPoint pressPlace_;
  QString hoveredName_;
};

}  // namespace hilo
