// A line to search a TextView with: text, case, whole words, regular expression, how many matches, next and
// previous; ":123" goes to a line. While one types the view goes to the first match after the place where it
// was. Escape closes it.
#pragma once

#include <QWidget>

#include "ui/widgets/text_lines.h"

class QLabel;
class QLineEdit;
class QToolButton;

namespace hilo {

class JobQueue;
class TextView;

class FindBar : public QWidget {
  Q_OBJECT

 public:
  // Searches `view`, which must live as long as the bar, in jobs.
  FindBar(TextView* view, JobQueue& jobs, QWidget* parent = nullptr);
  // Shows the bar with the selected text of the view, ready to type.
  void open();
  void close();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void search();
  QToolButton* addToggle(const QString& label, const QString& tip);

  TextView* view_;
  QLineEdit* text_;
  QLabel* count_;
  QToolButton* case_;
  QToolButton* word_;
  QToolButton* regex_;
  TextPosition begin_;    // where the view was when the bar was opened
  bool isTyped_ = false;  // the view goes to what is found
};

}  // namespace hilo
