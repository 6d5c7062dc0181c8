// What a person has set in a view, by the names a screen reader says of its controls: "Areas show=bytes". So
// that a view can be shown again as it is, each control needs a name of its own, and nothing else.
#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>

#include "core/base/result.h"

namespace hilo {

// "NAME=VALUE" of every box, tab, check box, number and checkable action in the view that has a name; values
// are the texts shown, "on" and "off" of what is checked. Counts in the titles of tabs are left out.
QStringList controlValues(const QWidget& view);

// Sets one of them as a person would. Error kinds: "no-such-control", "no-such-choice".
Status setControl(QWidget& view, const QString& setting);

}  // namespace hilo
