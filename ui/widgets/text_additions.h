// What the owner of a text adds to its lines: marks in the gutter, grounds, faint facts behind them, a word
// that stands out. Nothing of it is part of the text. UI thread.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <QObject>

#include "ui/style/theme.h"

namespace hilo {

// How a line stands out. kCount in a role means none.
struct LineDecoration {
  ColourRole background = ColourRole::kCount;
  // Where it has no background: tinted as this category, as all lines of the same one are.
  std::optional<size_t> band;
  ColourRole spanBackground = ColourRole::kCount;
  std::vector<std::pair<uint32_t, uint32_t>> spans;  // start and length, in source columns
};

// A mark in the gutter: kMarkAdded, kMarkChanged, kMarkRemoved, kError, kWarning, ...
struct LineMark {
  uint32_t line = 0;
  ColourRole role = ColourRole::kMarkChanged;
};

class TextAdditions : public QObject {
  Q_OBJECT

 public:
  // One a line at most, in any order.
  void setMarks(std::vector<LineMark> marks);
  // Asked for the lines in sight only; called again when the text or refresh() says so.
  void setDecorator(std::function<LineDecoration(uint32_t line)> decorator);
  // Facts of a line, written faintly behind its text: not found, not copied. Asked for the lines in sight
  // only; null for none.
  void setGhosts(std::function<QString(uint32_t line)> ghosts);
  // Every whole-word occurrence in sight is marked; empty marks the word at the caret.
  void setHighlightedWord(const QString& word);
  void refresh() { Q_EMIT changed(); }

  const LineMark* markAt(uint32_t line) const;  // or null
  LineDecoration decorationOf(uint32_t line) const {
    return decorator_ ? decorator_(line) : LineDecoration();
  }
  QString ghostOf(uint32_t line) const { return ghosts_ ? ghosts_(line) : QString(); }
  const QString& highlightedWord() const { return highlighted_; }

 Q_SIGNALS:
  void changed();

 private:
  std::vector<LineMark> marks_;  // by line
  std::function<LineDecoration(uint32_t line)> decorator_;
  std::function<QString(uint32_t line)> ghosts_;
  QString highlighted_;
};

}  // namespace hilo
