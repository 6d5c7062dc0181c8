// The button at the end of a tool bar that has no room for all of it.
#pragma once

class QToolBar;

namespace hilo {

// In the theme's colours: the style's own arrows cannot be seen on a dark ground. To be called anew when
// the palette changes.
void drawOverflowButton(const QToolBar& bar);

}  // namespace hilo
