// The answer to "why is it here?" as text with links: names lead to their instructions, suggestions are tried
// with a click or Enter.
#pragma once

#include <QTextBrowser>

#include "core/workspace/schedule/schedule_why.h"

namespace hilo {

class AnswerPanel : public QTextBrowser {
  Q_OBJECT

 public:
  explicit AnswerPanel(QWidget* parent = nullptr);
  // Not whole: the scheduler is still being asked.
  void setAnswer(const ScheduleAnswer& answer, bool whole);
  void setAsking(const QString& name);
  void clearAnswer();
  const std::optional<ScheduleAnswer>& answer() const { return answer_; }

 Q_SIGNALS:
  void nameClicked(const QString& name);
  void suggestionTaken(const hilo::ScheduleMove& move);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void render();
  void follow(const QUrl& url);
  std::optional<ScheduleAnswer> answer_;
  bool whole_ = true;
};

}  // namespace hilo
