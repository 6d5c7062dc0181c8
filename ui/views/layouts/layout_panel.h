// Why a copy or transpose is there, as text with links: names lead to their instructions, advice is tried
// with a click or Enter.
#pragma once

#include <QTextBrowser>

#include "core/workspace/layouts/layout_advice.h"

namespace hilo {

class LayoutPanel : public QTextBrowser {
  Q_OBJECT

 public:
  explicit LayoutPanel(QWidget* parent = nullptr);

  void show(const LayoutRow& row, std::vector<LayoutAdvice> advice);
  void clear();
  const std::optional<LayoutRow>& shown() const { return row_; }
  const std::vector<LayoutAdvice>& advice() const { return advice_; }

 Q_SIGNALS:
  void nameClicked(const QString& name);
  void adviceTaken(const hilo::LayoutConstraint& constraint);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void render();
  QString adviceHtml(const QString& link) const;
  void follow(const QUrl& url);

  std::optional<LayoutRow> row_;
  std::vector<LayoutAdvice> advice_;
};

}  // namespace hilo
