// What a text view looks like. Touches only the rows in sight.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <QFont>
#include <QSize>

#include "ui/style/theme.h"
#include "ui/widgets/shown_text.h"
#include "ui/widgets/text_find.h"

class QPainter;

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

// Pixels of a cell, a row and the gutter.
struct TextMetrics {
  double cellWidth = 8;
  int rowHeight = 16;
  int ascent = 12;
  double gutterWidth = 40;
  double textLeft() const { return gutterWidth + 6; }
};
TextMetrics measureText(const QFont& font, uint32_t lines);

// What the owner of the text adds to it.
struct TextAdditions {
  std::vector<LineMark> marks;  // by line, one a line at most
  std::function<LineDecoration(uint32_t line)> decorator;
  std::function<QString(uint32_t line)> ghosts;
  QString highlighted;  // a word
};

struct TextScene {
  const ShownText& text;
  const TextAdditions& additions;
  TextMetrics metrics;
  const TextMatches* matches;  // null for none
  std::optional<size_t> currentMatch;
  TextPosition from, to;              // what is selected
  std::optional<TextPosition> caret;  // where it is drawn
  uint32_t currentLine = 0;
  QString word;  // whose occurrences are marked
  int firstRow = 0, firstColumn = 0;
  std::optional<int> wrappedColumns;  // columns a row, where lines are wrapped
  QSize size;                         // of the viewport
};

class TextPainter {
 public:
  TextPainter(QPainter& painter, const Theme& theme, const TextScene& scene)
      : painter_(painter), theme_(theme), scene_(scene), metrics_(scene.metrics) {}
  void paint();

 private:
  double columnX(uint32_t displayColumn) const;
  QRectF bandAt(double y) const;
  const LineMark* markAt(uint32_t line) const;
  ColourRole groundOf(uint32_t line) const;
  void paintRow(const TextRow& row, double y);
  void paintLine(const TextRow& row, double y);
  void paintGhost(uint32_t line, const DisplayLine& shown, double y);
  void paintGap(const TextRow& row, double y);
  void paintBackgrounds(uint32_t line, const DisplayLine& shown, double y);
  void paintSelection(uint32_t line, const DisplayLine& shown, double y);
  void paintText(const DisplayLine& shown, double y);
  void paintGutter(const TextRow& row, double y);
  void paintFoldMark(bool folded, double y);
  void fillColumns(const DisplayLine& shown, uint32_t from, uint32_t to, double y, ColourRole role);
  void paintOccurrences(const DisplayLine& shown, double y);
  void paintMatches(uint32_t line, const DisplayLine& shown, double y);

  QPainter& painter_;
  const Theme& theme_;
  const TextScene& scene_;
  const TextMetrics& metrics_;
  uint32_t rowStart_ = 0;  // drawn column at which the painted row starts
};

}  // namespace hilo
