#include "ui/style/theme.h"

#include <gtest/gtest.h>

#include <QWidget>

#include <array>
#include <cmath>

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
          ColourRole::kFindMatch, ColourRole::kAddedStrong, ColourRole::kMoved}) {
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

// Code on the tint of its line, over the ground of a text.
TEST(Theme, codeIsReadableOnBands) {
  for (const Theme* theme : {&lightTheme(), &darkTheme()}) {
    const QColor ground = theme->colour(ColourRole::kSurface);
    for (size_t category = 0; category < 12; ++category) {
      const QColor tint = bandColour(category, theme->dark);
      const auto mixed = [&](float over, float under) {
        return over * tint.alphaF() + under * (1 - tint.alphaF());
      };
      const QColor band =
          QColor::fromRgbF(mixed(tint.redF(), ground.redF()), mixed(tint.greenF(), ground.greenF()),
                           mixed(tint.blueF(), ground.blueF()));
      EXPECT_NE(band, ground);
      EXPECT_GE(contrast(theme->colour(ColourRole::kText), band), 7) << category << " dark " << theme->dark;
      for (ColourRole text : {ColourRole::kSyntaxKeyword, ColourRole::kSyntaxOpcode, ColourRole::kSyntaxName,
                              ColourRole::kSyntaxShape, ColourRole::kSyntaxNumber, ColourRole::kSyntaxString,
                              ColourRole::kSyntaxAttribute}) {
        EXPECT_GE(contrast(theme->colour(text), band), 3.8)
            << static_cast<int>(text) << " on " << category << " dark " << theme->dark;
      }
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

struct Linear {
  double r, g, b;
};

double toLinear(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

// What a person without one kind of cone sees: Machado, Oliveira and Fernandes (2009), severity 1.
enum class Sight { kAll, kNoRed, kNoGreen, kNoBlue };
Linear seen(const QColor& colour, Sight sight) {
  static constexpr double kMatrices[4][9] = {
      {1, 0, 0, 0, 1, 0, 0, 0, 1},
      {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
      {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
      {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}};
  const double* m = kMatrices[static_cast<size_t>(sight)];
  const double r = toLinear(colour.redF()), g = toLinear(colour.greenF()), b = toLinear(colour.blueF());
  return {m[0] * r + m[1] * g + m[2] * b, m[3] * r + m[4] * g + m[5] * b, m[6] * r + m[7] * g + m[8] * b};
}

// CIE 1976 difference: about 2.3 is just noticeable.
double difference(const Linear& x, const Linear& y) {
  const auto lab = [](const Linear& c) {
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    const double fx = f((0.4124 * c.r + 0.3576 * c.g + 0.1805 * c.b) / 0.95047);
    const double fy = f(0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b);
    const double fz = f((0.0193 * c.r + 0.1192 * c.g + 0.9505 * c.b) / 1.08883);
    return std::array{116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)};
  };
  const auto a = lab(x), b = lab(y);
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

TEST(Theme, changesAreToldApartWithoutOneKindOfCone) {
  constexpr ColourRole kMarks[] = {ColourRole::kMarkAdded, ColourRole::kMarkRemoved,
                                   ColourRole::kMarkChanged};
  for (const Theme* theme : {&lightTheme(), &darkTheme()}) {
    for (const Sight sight : {Sight::kAll, Sight::kNoRed, Sight::kNoGreen, Sight::kNoBlue}) {
      for (const ColourRole a : kMarks) {
        for (const ColourRole b : kMarks) {
          if (a == b) continue;
          EXPECT_GT(difference(seen(theme->colour(a), sight), seen(theme->colour(b), sight)), 10)
              << static_cast<int>(a) << " and " << static_cast<int>(b) << ", sight "
              << static_cast<int>(sight) << ", dark " << theme->dark;
        }
      }
    }
  }
}

// Opcodes that cost time, and what comes from outside. The others are bookkeeping and may look alike.
TEST(Theme, nodesThatCostTimeAreToldApartWithoutOneKindOfCone) {
  constexpr NodeRole kRoles[] = {NodeRole::kDynamicUpdateSlice,
                                 NodeRole::kCopy,
                                 NodeRole::kMatmul,
                                 NodeRole::kReduce,
                                 NodeRole::kFusion,
                                 NodeRole::kCollective,
                                 NodeRole::kTransfer,
                                 NodeRole::kControlFlow,
                                 NodeRole::kCustomCall,
                                 NodeRole::kAsync,
                                 NodeRole::kParameter,
                                 NodeRole::kLargeParameter};
  for (const bool dark : {false, true}) {
    for (const Sight sight : {Sight::kAll, Sight::kNoRed, Sight::kNoGreen, Sight::kNoBlue}) {
      for (const NodeRole a : kRoles) {
        for (const NodeRole b : kRoles) {
          if (a >= b) continue;
          const auto fill = [&](NodeRole role) {
            return seen(nodeColours(NodePalette::kOpcodeClass, role, dark).fill, sight);
          };
          EXPECT_GT(difference(fill(a), fill(b)), 10)
              << nodeRoleName(a) << " and " << nodeRoleName(b) << ", sight " << static_cast<int>(sight)
              << ", dark " << dark;
        }
      }
    }
  }
}

// From cold to hot the lightness goes one way, so that the order is read with any eyes.
// What is cold is near the ground.
TEST(Theme, heatKeepsItsOrderWithoutOneKindOfCone) {
  constexpr double kLightnessStep = 1;
  for (const bool dark : {false, true}) {
    for (const Sight sight : {Sight::kAll, Sight::kNoRed, Sight::kNoGreen, Sight::kNoBlue}) {
      const auto lightness = [&](int tenth) {
        const Linear c = seen(heatColour(tenth / 10.0, dark), sight);
        return 116 * std::cbrt(0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b) - 16;
      };
      for (int tenth = 1; tenth <= 10; ++tenth) {
        const double change = lightness(tenth) - lightness(tenth - 1);
        EXPECT_GT(dark ? change : -change, kLightnessStep) << tenth << ", dark " << dark;
      }
    }
    const QColor ground = (dark ? darkTheme() : lightTheme()).colour(ColourRole::kSurface);
    EXPECT_LT(contrast(heatColour(0, dark), ground), 1.5);
  }
}

}  // namespace
}  // namespace hilo
