// A text as a text view shows it: its lines, which of them stand on which row, and each line as drawn. Knows
// nothing of widgets; lines as drawn are made when they are asked for, and the latest are kept. UI thread.
#pragma once

#include <memory>

#include <QObject>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "ui/widgets/display_line.h"
#include "ui/widgets/text_rows.h"

namespace hilo {

// A text made ready to show: its lines and what can be folded. Long texts are made ready in a job.
struct TextContent {
  TextContent(std::shared_ptr<const std::string> text);
  std::shared_ptr<const TextLines> lines;
  std::vector<FoldRegion> regions;
};

class ShownText : public QObject {
  Q_OBJECT

 public:
  ShownText();

  // Rows given one by one and opened tails are dropped.
  void setContent(TextContent content);
  void setLexer(LineLexer lexer);
  // Regions a person can fold: the `{ ... }` blocks of the text.
  void setFoldable(bool foldable);
  // Texts open with their tables of files, functions and stack frames folded.
  void setTablesFolded(bool folded);
  // Shows metadata={...} and the like as {…}, each until it is opened.
  void setTailsFolded(bool folded);
  void setAllFolded(bool folded);
  // The region that starts at the line.
  void setFolded(uint32_t line, bool folded);
  // In place of the lines less the folded ones. Folding is off then.
  void setRows(std::vector<TextRow> rows);
  // Unfolds what hides the line, rows given one by one apart.
  void reveal(uint32_t line);
  // Opens the folded tail at a place; false where there is none.
  bool openTailAt(uint32_t line, uint32_t displayColumn);

  const TextLines& lines() const { return *lines_; }
  const std::shared_ptr<const TextLines>& sharedLines() const { return lines_; }
  const TextRows& rows() const { return rows_; }
  // Until the text or how it is folded changes, and at most some hundred lines later.
  const DisplayLine& display(uint32_t line) const;
  uint32_t lengthOf(uint32_t line) const { return static_cast<uint32_t>(lines_->lineText(line).size()); }
  TextPosition end() const { return {lines_->count() - 1, lengthOf(lines_->count() - 1)}; }

  // The name at a column of a line as drawn, without its leading '%'; "" where there is none. `atEnd`: also
  // where the name ends just before the column.
  QString nameAt(uint32_t line, double displayColumn, bool atEnd) const;
  // The start and end of the word at a place, on its line.
  std::pair<TextPosition, TextPosition> wordAround(TextPosition place) const;
  QString text(TextPosition from, TextPosition to) const;

 Q_SIGNALS:
  // Another text is shown; then changed() does not come besides.
  void replaced();
  // What is on which row, or how a line is drawn.
  void changed();

 private:
  void resetRows();

  std::shared_ptr<const TextLines> lines_;
  std::vector<FoldRegion> regions_;
  TextRows rows_;
  bool foldable_ = true;
  bool explicitRows_ = false;
  bool foldTails_ = false;
  bool foldTables_ = false;
  absl::flat_hash_set<uint32_t> openTails_;  // Lines whose tails are shown though tails are folded.
  LineLexer lexer_;
  mutable absl::flat_hash_map<uint32_t, std::unique_ptr<DisplayLine>> displayed_;
};

}  // namespace hilo
