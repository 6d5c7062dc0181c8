// What made a collective or a sharding necessary, as text with links: names lead to their instructions,
// advice is tried with a click or Enter.
#pragma once

#include <QTextBrowser>

#include "core/workspace/partition/advice.h"
#include "core/workspace/partition/sharding_history.h"

namespace hilo {

class CausePanel : public QTextBrowser {
  Q_OBJECT

 public:
  explicit CausePanel(QWidget* parent = nullptr);

  struct Shown {
    std::string title;               // "all-gather.7", or an instruction
    std::string text;                // one sentence
    std::vector<std::string> facts;  // lines
    std::vector<std::pair<std::string, std::vector<ShardingStep>>> histories;  // by name
    std::vector<ShardingAdvice> advice;
  };
  void show(Shown shown);
  void clear();
  const std::optional<Shown>& shown() const { return shown_; }

 Q_SIGNALS:
  void nameClicked(const QString& name);
  void adviceTaken(const hilo::ShardingConstraint& constraint);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void render();
  void follow(const QUrl& url);
  std::optional<Shown> shown_;
};

}  // namespace hilo
