// The user guide: the pages of docs/ that come with the program.
#pragma once

#include <QString>

class QWidget;

namespace hilo {

// Where the pages lie; "" where the program came without them.
QString guideFolder();

// "thunks" of "### Thunks", as links between pages have it.
QString headingAnchor(const QString& heading);

// A window with a page, its links, a way back and a box that finds. Ends itself. `view`: the title of the
// view whose section is shown; "" for the beginning.
void showGuide(QWidget& window, const QString& view = {}, const QString& firstPage = "studio.md");

}  // namespace hilo
