#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/workspace/about.h"
#include "ui/models/text_of.h"
#include "ui/shell/window_menus.h"
#include "ui/style/metrics.h"

namespace hilo {

void showAbout(QWidget& window) {
  const QString text = qs(aboutText()) + QStringLiteral("\nQt         ") + qVersion() + QStringLiteral(", ") +
                       QApplication::platformName();
  auto* dialog = new QDialog(&window);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle("About Hilo");
  auto* facts = new QLabel(text, dialog);
  facts->setObjectName("about.text");
  facts->setFont(codeFont());
  facts->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  auto* licence =
      new QLabel("A debugger for XLA HLO. Apache License 2.0. Icons: GNOME's Adwaita, CC BY-SA 3.0.", dialog);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  QPushButton* copy = buttons->addButton("Copy for a bug report", QDialogButtonBox::ActionRole);
  QObject::connect(copy, &QPushButton::clicked, dialog, [text] { QApplication::clipboard()->setText(text); });
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  auto* column = new QVBoxLayout(dialog);
  column->addWidget(licence);
  column->addWidget(facts);
  column->addWidget(buttons);
  dialog->open();
}

}  // namespace hilo
