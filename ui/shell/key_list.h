// All keys of the window, as rows: those of the view in focus first, then menus, then other views.
#pragma once

#include <QList>
#include <QString>

class QWidget;

namespace hilo {

struct KeyRow {
  QString where;  // "Graph", "Menu"
  QString keys;
  QString what;
};

// `inFocus`: a name of views.def; "" for none.
std::vector<KeyRow> keyRows(const QWidget& window, const QString& inFocus);

// A dialog that lists them and filters as one types. Ends itself.
void showShortcuts(QWidget& window, const QString& inFocus);

}  // namespace hilo
