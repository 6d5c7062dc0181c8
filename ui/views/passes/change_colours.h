// The colour of the text of rows that tell a change; none of one that is the same.
#pragma once

#include <QVariant>

#include "core/analysis/diff/module_diff.h"

class QWidget;

namespace hilo {

QVariant colourOfChange(ChangeKind kind, const QWidget& widget);

}  // namespace hilo
