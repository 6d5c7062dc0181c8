#include "ui/style/theme.h"

#include <QApplication>
#include <QStyleFactory>

#include "ui/style/metrics.h"

namespace hilo {

QPalette paletteOf(const Theme& theme) {
  QPalette palette;
  auto set = [&](QPalette::ColorRole role, ColourRole colour) {
    palette.setColor(role, theme.colour(colour));
  };
  set(QPalette::Window, ColourRole::kWindow);
  set(QPalette::WindowText, ColourRole::kText);
  set(QPalette::Base, ColourRole::kSurface);
  set(QPalette::AlternateBase, ColourRole::kSurfaceRaised);
  set(QPalette::Text, ColourRole::kText);
  set(QPalette::PlaceholderText, ColourRole::kTextFaint);
  set(QPalette::Button, ColourRole::kSurfaceRaised);
  set(QPalette::ButtonText, ColourRole::kText);
  set(QPalette::BrightText, ColourRole::kError);
  set(QPalette::ToolTipBase, ColourRole::kSurfaceRaised);
  set(QPalette::ToolTipText, ColourRole::kText);
  set(QPalette::Highlight, ColourRole::kSelection);
  set(QPalette::HighlightedText, ColourRole::kText);
  set(QPalette::Link, ColourRole::kAccent);
  set(QPalette::LinkVisited, ColourRole::kAccent);
  set(QPalette::Mid, ColourRole::kBorder);
  set(QPalette::Midlight, ColourRole::kHover);
  set(QPalette::Dark, ColourRole::kBorder);
  for (QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, theme.colour(ColourRole::kTextFaint));
  }
  return palette;
}

QString styleSheetOf(const Theme& theme) {
  auto name = [&](ColourRole role) { return theme.colour(role).name(); };
  return QStringLiteral(
             "QToolTip { color: %1; background: %2; border: 1px solid %3; padding: 4px; }"
             "QDockWidget::title { background: %4; padding: 5px 8px; border-bottom: 1px solid %3; }"
             "QHeaderView::section { background: %2; color: %5; border: none;"
             " border-right: 1px solid %3; border-bottom: 1px solid %3; padding: 3px 6px; }"
             "QAbstractItemView { selection-background-color: %6; selection-color: %1;"
             " border: none; outline: 0; }"
             "QStatusBar { border-top: 1px solid %3; } QStatusBar::item { border: none; }"
             "QTabBar { qproperty-drawBase: 0; } QTabWidget::pane { border: none; border-top: 1px solid %3; }"
             "QTabBar::tab { padding: 5px 10px; color: %5; background: %4; border: none;"
             " border-bottom: 2px solid transparent; }"
             "QTabBar::tab:selected { color: %1; border-bottom: 2px solid %7; }"
             "QLineEdit { background: %8; border: 1px solid %3; border-radius: 4px; padding: 3px 6px; }"
             "QLineEdit:focus { border: 1px solid %7; }"
             "QSplitter::handle { background: %3; } QMainWindow::separator { background: %3; width: 1px;"
             " height: 1px; }")
      .arg(name(ColourRole::kText), name(ColourRole::kSurfaceRaised), name(ColourRole::kBorder),
           name(ColourRole::kWindow), name(ColourRole::kTextDim), name(ColourRole::kSelection),
           name(ColourRole::kAccent), name(ColourRole::kSurface));
}

void applyTheme(QApplication& application, const Theme& theme) {
  const QString styleSheet = styleSheetOf(theme);
  if (application.styleSheet() == styleSheet) return;
  if (application.styleSheet().isEmpty()) {  // the first theme; each of these lays every widget out anew
    application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    application.setFont(uiFont());
  }
  application.setPalette(paletteOf(theme));
  application.setStyleSheet(styleSheet);
}

}  // namespace hilo
