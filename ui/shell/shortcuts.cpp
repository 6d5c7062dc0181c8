#include <QDialog>
#include <QRegularExpression>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "ui/shell/window_menus.h"

namespace hilo {

void showShortcuts(QWidget& window) {
  QString rows;
  for (const QAction* a : window.findChildren<QAction*>(QRegularExpression("^[a-z]"))) {
    if (a->shortcut().isEmpty()) continue;
    rows += QString("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>")
                .arg(a->shortcut().toString(), a->text().remove('&').toHtmlEscaped());
  }
  rows += "<tr><td>n, p&nbsp;&nbsp;</td><td>in the pass strip: next and previous change</td></tr>";
  rows +=
      "<tr><td>arrows&nbsp;&nbsp;</td><td>in the schedule: along the lane, to operands and users</td></tr>";
  rows +=
      "<tr><td>Shift+arrows, P&nbsp;&nbsp;</td><td>in the schedule: move the instruction, pin it</td></tr>";
  rows +=
      "<tr><td>W, S, A, D, F&nbsp;&nbsp;</td><td>in every timeline: zoom in and out, pan left and right, all "
      "of it</td></tr>";
  rows += "<tr><td>Z, X&nbsp;&nbsp;</td><td>in the schedule: zoom to the selection, the axis</td></tr>";
  rows += "<tr><td>Enter&nbsp;&nbsp;</td><td>in a list: go to what the row names</td></tr>";
  auto* dialog = new QDialog(&window);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle("Keyboard");
  dialog->resize(460, 560);
  auto* text = new QTextBrowser(dialog);
  text->setAccessibleName("Keys");
  text->setHtml("<table>" + rows + "</table>");
  (new QVBoxLayout(dialog))->addWidget(text);
  dialog->open();
}

}  // namespace hilo
