// Where the caret of a text is, what is selected, and how keys move it. Places are of the text, not of
// pixels. UI thread.
#pragma once

#include <utility>

#include <QObject>

#include "ui/widgets/shown_text.h"

class QKeyEvent;

namespace hilo {

class TextCaret : public QObject {
  Q_OBJECT

 public:
  explicit TextCaret(const ShownText& text) : text_(text) {}

  TextPosition place() const { return place_; }
  // The name that ends at the caret or lies around it, without its leading '%'; "" for none.
  const QString& name() const { return name_; }
  // The place where the selection began: the caret's when nothing is selected.
  TextPosition anchor() const { return anchor_; }
  // What is selected, its ends in order.
  std::pair<TextPosition, TextPosition> selection() const { return std::minmax(anchor_, place_); }
  QString selectedText() const;
  void copy() const;

  // To the last line where there are fewer. `keepAnchor`: selects what lies between.
  void moveTo(TextPosition place, bool keepAnchor = false);
  // From the anchor to the caret.
  void select(TextPosition anchor, TextPosition place);
  void selectAll();
  // To the start of another text. No one is told.
  void reset();
  // As an editor does; with shift it selects. `page`: rows that a page key moves by. False where the
  // key is no such one.
  bool moveByKey(const QKeyEvent& event, int page);

 Q_SIGNALS:
  void moved(int line, int column);
  // The caret or what is selected may be another.
  void changed();

 private:
  void moveByRows(int by, bool keepAnchor);

  const ShownText& text_;
  TextPosition place_;
  TextPosition anchor_;
  QString name_;
  int wantedColumn_ = -1;  // as drawn; kept while the caret moves up and down, -1 when it did not
};

}  // namespace hilo
