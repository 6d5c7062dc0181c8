// What came of something, in words: a line below a form, hidden while there is nothing to say.
#pragma once

#include <QLabel>

#include "core/base/diagnostic.h"
#include "ui/style/colours.h"

namespace hilo {

class MessageLine : public QLabel {
 public:
  // `plain` is the colour of what is no error.
  explicit MessageLine(ColourRole plain, QWidget* parent = nullptr);

  // Lines are kept. "" hides it.
  void say(const QString& text, bool isError = false);
  // An error: its message and the first of its notes; all of them are a hover away.
  void sayWhy(const Diagnostic& why);
  bool saysError() const { return isError_; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void tint();

  ColourRole plain_;
  bool isError_ = false;
};

}  // namespace hilo
