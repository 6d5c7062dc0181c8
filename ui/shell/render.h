// Draws a view into a picture through the window it belongs to: the same code path as on the screen.
#pragma once

#include "ui/widgets/render_request.h"

namespace hilo {

class MainWindow;

// The window must have been told what to open. Waits until everything is read, laid out and printed. Views of
// results make them first: thunks compiles the module, passes runs the first pipeline over a module without a
// pass series, runs executes the module on the engine cpu, compare does so twice (neither does where
// that would take minutes). Kinds: "unknown-view", "nothing-open", "no-such-name", "file-not-written",
// "timeout", and those of the view's prepare() and arrange().
Status renderView(MainWindow& window, const RenderRequest& request);

}  // namespace hilo
