// What a text view looks like. Touches only the rows in sight.
#pragma once

#include <optional>

#include "ui/style/theme.h"
#include "ui/widgets/placed_text.h"
#include "ui/widgets/text_additions.h"
#include "ui/widgets/text_find.h"

class QPainter;

namespace hilo {

struct TextScene {
  const PlacedText& placed;
  const TextAdditions& additions;
  const TextMatches* matches;  // null for none
  std::optional<size_t> currentMatch;
  TextPosition from, to;              // what is selected
  std::optional<TextPosition> caret;  // where it is drawn
  uint32_t currentLine = 0;
  QString word;          // whose occurrences are marked
  bool wrapped = false;  // long lines go on in the next rows
};

class TextPainter {
 public:
  TextPainter(QPainter& painter, const Theme& theme, const TextScene& scene)
      : painter_(painter),
        theme_(theme),
        scene_(scene),
        placed_(scene.placed),
        metrics_(scene.placed.metrics) {}
  void paint();

 private:
  double columnX(uint32_t displayColumn) const;
  QRectF bandAt(double y) const;
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
  const PlacedText& placed_;
  const TextMetrics& metrics_;
  uint32_t rowStart_ = 0;  // drawn column at which the painted row starts
};

}  // namespace hilo
