// A diff of two texts with what a person sets about it: one column or two, wrapped, what is left out, which
// side stands left, and the way from change to change (F7, Shift+F7).
#pragma once

#include <QWidget>

class QAbstractButton;
class QLabel;

namespace hilo {

class DiffTextView;

class DiffPanel : public QWidget {
  Q_OBJECT

 public:
  explicit DiffPanel(QWidget* parent = nullptr);

  DiffTextView* text() const { return text_; }
  bool isSemantic() const;

 Q_SIGNALS:
  // Texts without metadata, shardings and layouts are wanted, or whole ones again.
  void semanticToggled(bool semantic);

 private:
  QAbstractButton* addSwitch(const QString& name, const QString& tip);
  QAbstractButton* addStep(const QString& sign, const QString& name, const QString& tip, bool backward);
  void showPlace();

  DiffTextView* text_;
  QAbstractButton* semantic_;
  QLabel* place_;
};

}  // namespace hilo
