#include "ui/style/theme.h"

#include <gtest/gtest.h>

#include <QWidget>

namespace hilo {
namespace {

// Relative luminance and contrast as WCAG 2 defines them.
double luminance(const QColor& colour) {
  auto channel = [](double value) {
    return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(colour.redF()) + 0.7152 * channel(colour.greenF()) +
         0.0722 * channel(colour.blueF());
}

double contrast(const QColor& a, const QColor& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST(Theme, textIsReadableOnEveryGround) {
  for (const Theme* theme : {&lightTheme(), &darkTheme()}) {
    for (ColourRole ground :
         {ColourRole::kWindow, ColourRole::kSurface, ColourRole::kSurfaceRaised, ColourRole::kSelection,
          ColourRole::kHover, ColourRole::kAdded, ColourRole::kRemoved, ColourRole::kChanged,
          ColourRole::kFindMatch, ColourRole::kAddedStrong}) {
      EXPECT_GE(contrast(theme->colour(ColourRole::kText), theme->colour(ground)), 4.5)
          << static_cast<int>(ground) << " dark " << theme->dark;
    }
    for (ColourRole text :
         {ColourRole::kTextDim, ColourRole::kError, ColourRole::kWarning, ColourRole::kAccent,
          ColourRole::kSyntaxKeyword, ColourRole::kSyntaxOpcode, ColourRole::kSyntaxShape,
          ColourRole::kSyntaxNumber, ColourRole::kSyntaxString, ColourRole::kSyntaxAttribute}) {
      EXPECT_GE(contrast(theme->colour(text), theme->colour(ColourRole::kSurface)), 4.5)
          << static_cast<int>(text) << " dark " << theme->dark;
    }
  }
}

TEST(Theme, nodeTextIsReadableInBothPalettes) {
  for (bool dark : {false, true}) {
    for (NodePalette palette : {NodePalette::kOpcodeClass, NodePalette::kXla}) {
      for (size_t role = 0; role < static_cast<size_t>(NodeRole::kCount); ++role) {
        const NodeColours colours = nodeColours(palette, static_cast<NodeRole>(role), dark);
        EXPECT_GE(contrast(colours.text, colours.fill), 3.8)
            << nodeRoleName(static_cast<NodeRole>(role)) << dark;
      }
    }
  }
}

TEST(Theme, isFoundFromThePalette) {
  QWidget widget;
  widget.setPalette(paletteOf(darkTheme()));
  EXPECT_TRUE(themeOf(widget).dark);
  widget.setPalette(paletteOf(lightTheme()));
  EXPECT_FALSE(themeOf(widget).dark);
}

}  // namespace
}  // namespace hilo
