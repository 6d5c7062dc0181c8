#include "ui/views/passes/change_colours.h"

#include "ui/style/colours.h"

namespace hilo {

QVariant colourOfChange(ChangeKind kind, const QWidget& widget) {
  const Theme& theme = themeOf(widget);
  switch (kind) {
    case ChangeKind::Added:
      return theme.colour(ColourRole::kMarkAdded);
    case ChangeKind::Removed:
      return theme.colour(ColourRole::kMarkRemoved);
    case ChangeKind::Changed:
      return theme.colour(ColourRole::kMarkChanged);
    case ChangeKind::Moved:
    case ChangeKind::Reordered:
      return theme.colour(ColourRole::kAccent);
    case ChangeKind::Same:
      return {};
  }
  return {};
}

}  // namespace hilo
