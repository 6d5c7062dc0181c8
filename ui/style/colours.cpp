#include "ui/style/colours.h"

#include <algorithm>

#include <QPalette>
#include <QWidget>

#include "core/base/check.h"

namespace hilo {
namespace {

constexpr QRgb rgb(uint32_t value) { return 0xff000000u | value; }

struct RoleColour {
  ColourRole role;
  QRgb light;
  QRgb dark;
};

constexpr RoleColour kRoleColours[] = {
    {ColourRole::kWindow, rgb(0xf3f4f6), rgb(0x1e1f22)},
    {ColourRole::kSurface, rgb(0xffffff), rgb(0x26282c)},
    {ColourRole::kSurfaceRaised, rgb(0xfafbfc), rgb(0x2f3237)},
    {ColourRole::kText, rgb(0x1d2127), rgb(0xe3e5e8)},
    {ColourRole::kTextDim, rgb(0x59616d), rgb(0xa3a9b3)},
    {ColourRole::kTextFaint, rgb(0x8c949f), rgb(0x757c87)},
    {ColourRole::kBorder, rgb(0xd3d7dd), rgb(0x43474e)},
    {ColourRole::kAccent, rgb(0x1f66c1), rgb(0x6cacf5)},
    {ColourRole::kAccentText, rgb(0xffffff), rgb(0x14181d)},
    {ColourRole::kSelection, rgb(0xbcd7f7), rgb(0x2c4f7c)},
    {ColourRole::kHover, rgb(0xe8eef6), rgb(0x363b43)},
    {ColourRole::kCurrentLine, rgb(0xf1f5fa), rgb(0x2d3138)},
    {ColourRole::kOccurrence, rgb(0xe4e9c8), rgb(0x45482f)},
    {ColourRole::kFindMatch, rgb(0xffe9a8), rgb(0x5e4f1c)},
    {ColourRole::kFindCurrent, rgb(0xffc14d), rgb(0x9a6a00)},
    {ColourRole::kError, rgb(0xc62828), rgb(0xf27c75)},
    {ColourRole::kWarning, rgb(0xa86200), rgb(0xf0b35c)},
    {ColourRole::kInfo, rgb(0x1f66c1), rgb(0x6cacf5)},
    {ColourRole::kSuccess, rgb(0x1d7a3e), rgb(0x6ccb8a)},
    {ColourRole::kAdded, rgb(0xe0f2fb), rgb(0x1b3646)},
    {ColourRole::kAddedStrong, rgb(0xa6daf5), rgb(0x2a6383)},
    {ColourRole::kRemoved, rgb(0xfdeadb), rgb(0x472b1a)},
    {ColourRole::kRemovedStrong, rgb(0xf8c497), rgb(0x84481d)},
    {ColourRole::kMoved, rgb(0xece6f7), rgb(0x352b4d)},
    {ColourRole::kChanged, rgb(0xf6ecf5), rgb(0x3a2c3c)},
    {ColourRole::kChangedStrong, rgb(0xe2bfdf), rgb(0x6a4669)},
    {ColourRole::kMarkAdded, rgb(0x0072b2), rgb(0x56b4e9)},
    {ColourRole::kMarkRemoved, rgb(0xd55e00), rgb(0xf08a3c)},
    {ColourRole::kMarkChanged, rgb(0xa9518f), rgb(0xd38fc0)},
    {ColourRole::kEdge, rgb(0x8f98a5), rgb(0x6d7580)},
    {ColourRole::kEdgeControl, rgb(0xb07f3c), rgb(0xb98f56)},
    {ColourRole::kEdgeBundle, rgb(0x7a8493), rgb(0x838c99)},
    {ColourRole::kEdgeHot, rgb(0x1f66c1), rgb(0x6cacf5)},
    {ColourRole::kGroupFill, rgb(0xf4f6f9), rgb(0x2b2e34)},
    {ColourRole::kGroupFillAlt, rgb(0xeaeef3), rgb(0x32363d)},
    {ColourRole::kGroupBorder, rgb(0xb4bcc8), rgb(0x565c66)},
    {ColourRole::kShadow, 0x30000000u, 0x70000000u},
    {ColourRole::kSyntaxKeyword, rgb(0x8a3ea3), rgb(0xcf9ae0)},
    {ColourRole::kSyntaxOpcode, rgb(0x0b5cad), rgb(0x7db8f5)},
    {ColourRole::kSyntaxName, rgb(0x1d2127), rgb(0xe3e5e8)},
    {ColourRole::kSyntaxShape, rgb(0x0f7566), rgb(0x67c9b7)},
    {ColourRole::kSyntaxNumber, rgb(0x9a4b00), rgb(0xe5ac74)},
    {ColourRole::kSyntaxString, rgb(0x4c6b1f), rgb(0xb0cc82)},
    {ColourRole::kSyntaxComment, rgb(0x7d8590), rgb(0x7e8691)},
    {ColourRole::kSyntaxAttribute, rgb(0x7a4a68), rgb(0xcca6bd)},
    {ColourRole::kSyntaxDimmed, rgb(0x8f96a1), rgb(0x79808b)},
};
static_assert(std::size(kRoleColours) == static_cast<size_t>(ColourRole::kCount));

Theme makeTheme(bool dark) {
  Theme theme;
  theme.dark = dark;
  for (const RoleColour& entry : kRoleColours) {
    theme.colours[static_cast<size_t>(entry.role)] = dark ? entry.dark : entry.light;
  }
  return theme;
}

struct Swatch {
  QRgb fill;
  QRgb border;
  QRgb text;
};

struct NodeRoleColours {
  NodeRole role;
  const char* name;
  Swatch light;
  Swatch dark;
  Swatch xla;
};

constexpr QRgb kInk = rgb(0x1d2127);
constexpr QRgb kPaper = rgb(0xf2f3f5);
constexpr QRgb kBlack = rgb(0x000000);
constexpr QRgb kPlain = rgb(0xffffff);

// XLA's graph dumper's swatches.
constexpr Swatch kXlaWhite{kPlain, rgb(0x9e9e9e), kBlack};
constexpr Swatch kXlaYellow{rgb(0xfff9c4), rgb(0xcbc693), kBlack};
constexpr Swatch kXlaGreen{rgb(0xc8e6c9), rgb(0x97b498), kBlack};
constexpr Swatch kXlaDarkBlue{rgb(0x1565c0), rgb(0x003c8f), kPlain};
constexpr Swatch kXlaPurple{rgb(0xe1bee7), rgb(0xaf8eb5), kBlack};
constexpr Swatch kXlaGray{rgb(0xcfd8dc), rgb(0x9ea7aa), kBlack};
constexpr Swatch kXlaBrown{rgb(0xbcaaa4), rgb(0x8c7b75), kBlack};
constexpr Swatch kXlaDarkGreen{rgb(0x2e7d32), rgb(0x005005), kPlain};
constexpr Swatch kXlaOrange{rgb(0xffe0b2), rgb(0xcbae82), kBlack};
constexpr Swatch kXlaDarkOrange{rgb(0xffb74d), rgb(0xc88719), kBlack};

constexpr Swatch kNeutralLight{rgb(0xfdfdfd), rgb(0x9aa2ae), kInk};
constexpr Swatch kNeutralDark{rgb(0x3c4048), rgb(0x6f7681), kPaper};

// The light fills are tints of the Okabe-Ito colours; the heavy operations carry them at full strength. What
// costs time is told apart without one kind of cone too: a test measures it.
constexpr NodeRoleColours kNodeColours[] = {
    {NodeRole::kElementwise, "elementwise", kNeutralLight, kNeutralDark, kXlaWhite},
    {NodeRole::kBroadcast,
     "broadcast",
     {rgb(0xf8f3b5), rgb(0xb5ad3e), kInk},
     {rgb(0x57532a), rgb(0x9c943f), kPaper},
     kXlaYellow},
    {NodeRole::kDynamicUpdateSlice,
     "dynamic-update-slice",
     {rgb(0xf5e039), rgb(0x9c931d), kInk},
     {rgb(0x74702e), rgb(0xc9be38), kPaper},
     kXlaYellow},
    {NodeRole::kDataMovement,
     "data movement",
     {rgb(0xd3ebf9), rgb(0x6aa5c9), kInk},
     {rgb(0x284a5e), rgb(0x5b93b5), kPaper},
     kXlaGreen},
    {NodeRole::kSlice,
     "slice, pad, iota",
     {rgb(0xeaf5fc), rgb(0x8fb6cd), kInk},
     {rgb(0x2c3f4b), rgb(0x5a7f94), kPaper},
     kXlaWhite},
    {NodeRole::kCopy,
     "copy",
     {rgb(0x7cc4ec), rgb(0x2e7fae), kInk},
     {rgb(0x2b658c), rgb(0x63b4e2), kPaper},
     kXlaGreen},
    {NodeRole::kBitcast,
     "bitcast",
     {rgb(0xeef0f3), rgb(0xb3bac4), kInk},
     {rgb(0x33373d), rgb(0x5f6670), kPaper},
     kXlaGreen},
    {NodeRole::kMatmul,
     "dot, convolution, FFT",
     {rgb(0x0072b2), rgb(0x004c78), kPlain},
     {rgb(0x1178b5), rgb(0x6cbcec), kPlain},
     kXlaDarkBlue},
    {NodeRole::kReduce,
     "reduce, gather, scatter",
     {rgb(0xd3abbc), rgb(0xb0668f), kInk},
     {rgb(0x845676), rgb(0xc583a9), kPaper},
     kXlaPurple},
    {NodeRole::kSort,
     "sort",
     {rgb(0xf2deea), rgb(0xb987a2), kInk},
     {rgb(0x523a48), rgb(0xa67a92), kPaper},
     kXlaWhite},
    {NodeRole::kFusion,
     "fusion",
     {rgb(0xccd2e0), rgb(0x818b98), kInk},
     {rgb(0x464f58), rgb(0x8d96a3), kPaper},
     kXlaGray},
    {NodeRole::kCollective,
     "collective",
     {rgb(0xd55e00), rgb(0x8f3f00), kPlain},
     {rgb(0xc25a0a), rgb(0xf59a52), kPlain},
     kXlaBrown},
    {NodeRole::kTransfer,
     "send, recv, infeed",
     {rgb(0xf3c39c), rgb(0xb8692b), kInk},
     {rgb(0x5a2a00), rgb(0xc27a43), kPaper},
     kXlaBrown},
    {NodeRole::kControlFlow,
     "while, call, conditional",
     {rgb(0x00865f), rgb(0x005a40), kPlain},
     {rgb(0x0b7e5f), rgb(0x45c7a0), kPlain},
     kXlaDarkGreen},
    {NodeRole::kCustomCall,
     "custom call",
     {rgb(0x4a5261), rgb(0x262c37), kPlain},
     {rgb(0x14171c), rgb(0xa6aebb), kPaper},
     kXlaDarkGreen},
    {NodeRole::kAsync,
     "async",
     {rgb(0xb6dfcc), rgb(0x3d9478), kInk},
     {rgb(0x2b5947), rgb(0x4ea68a), kPaper},
     kXlaDarkGreen},
    {NodeRole::kParameter,
     "parameter",
     {rgb(0xfbe7c0), rgb(0xc79b3d), kInk},
     {rgb(0x5a4720), rgb(0xb68f43), kPaper},
     kXlaOrange},
    {NodeRole::kLargeParameter,
     "large parameter",
     {rgb(0xf0b43c), rgb(0x9c6b00), kInk},
     {rgb(0x7a5408), rgb(0xe6b04d), kPaper},
     kXlaDarkOrange},
    {NodeRole::kConstant,
     "constant",
     {rgb(0xf5efe3), rgb(0xb9a98a), kInk},
     {rgb(0x45403a), rgb(0x857a68), kPaper},
     kXlaWhite},
    {NodeRole::kTuple,
     "tuple",
     {rgb(0xf3f4f6), rgb(0xbcc3cc), kInk},
     {rgb(0x303439), rgb(0x5b626c), kPaper},
     kXlaWhite},
    {NodeRole::kRandom,
     "random",
     {rgb(0xdfe8cf), rgb(0x869a5d), kInk},
     {rgb(0x3f4a2d), rgb(0x849660), kPaper},
     kXlaWhite},
    {NodeRole::kUnknown,
     "unknown opcode",
     {rgb(0xfce0de), rgb(0xb23a34), kInk},
     {rgb(0x552927), rgb(0xd9706a), kPaper},
     {rgb(0xffcdd2), rgb(0xcb9ca1), kBlack}},
    {NodeRole::kScope,
     "scope",
     {rgb(0xe7ebf1), rgb(0x8d98a8), kInk},
     {rgb(0x383d45), rgb(0x767f8c), kPaper},
     {rgb(0xf5f5f5), rgb(0x757575), kBlack}},
};
static_assert(std::size(kNodeColours) == static_cast<size_t>(NodeRole::kCount));

const NodeRoleColours& entryOf(NodeRole role) {
  const NodeRoleColours& entry = kNodeColours[static_cast<size_t>(role)];
  CHECK(entry.role == role);
  return entry;
}

}  // namespace

const Theme& lightTheme() {
  static const Theme theme = makeTheme(false);
  return theme;
}

const Theme& darkTheme() {
  static const Theme theme = makeTheme(true);
  return theme;
}

const Theme& themeOf(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() < 128 ? darkTheme() : lightTheme();
}

const Theme& themeOf(const QWidget& widget) { return themeOf(widget.palette()); }

NodeColours nodeColours(NodePalette palette, NodeRole role, bool dark) {
  const NodeRoleColours& entry = entryOf(role);
  const Swatch& swatch = palette == NodePalette::kXla ? entry.xla : dark ? entry.dark : entry.light;
  return {QColor::fromRgba(swatch.fill), QColor::fromRgba(swatch.border), QColor::fromRgba(swatch.text)};
}

const char* nodeRoleName(NodeRole role) { return entryOf(role).name; }

NodeColours categoryColours(size_t category, bool dark) {
  if (category == kPlainCategory) {
    const Theme& theme = dark ? darkTheme() : lightTheme();
    return {theme.colour(ColourRole::kSurfaceRaised), theme.colour(ColourRole::kBorder),
            theme.colour(ColourRole::kTextDim)};
  }
  // Borders and fills; hues and lightness alternate so that neighbours differ for colour-blind eyes as well.
  static constexpr uint32_t kLight[][2] = {{0x0072b2, 0xa9d3ee}, {0xb36b00, 0xf7cf8c}, {0x007a58, 0x9fdcc6},
                                           {0xa9518f, 0xeec4e0}, {0x7a6a00, 0xf3ea9a}, {0xb84700, 0xf8bd97},
                                           {0x3f4f9e, 0xc3caf0}, {0x2f6f73, 0xb9dfe1}, {0x7d3b3b, 0xe3bcbc},
                                           {0x4f7320, 0xcfe3ae}, {0x5b4a8a, 0xd5c9ee}, {0x59616d, 0xd5dae1}};
  static constexpr uint32_t kDark[][2] = {{0x56b4e9, 0x1d4d6b}, {0xe69f00, 0x664700}, {0x3fc39a, 0x0e5240},
                                          {0xd38fc0, 0x5f3552}, {0xe5d84a, 0x59520f}, {0xf08a3c, 0x693312},
                                          {0x96a4ee, 0x333d72}, {0x7fc8cc, 0x23494c}, {0xd79a9a, 0x5a2f2f},
                                          {0xa9cc6c, 0x3b4f1d}, {0xb7a4e6, 0x453870}, {0xa3a9b3, 0x464b53}};
  const auto& colours = dark ? kDark : kLight;
  const auto& [border, fill] = colours[category % std::size(colours)];
  return {QColor::fromRgba(rgb(fill)), QColor::fromRgba(rgb(border)),
          (dark ? darkTheme() : lightTheme()).colour(ColourRole::kText)};
}

QColor bandColour(size_t category, bool dark) {
  QColor colour = categoryColours(category, dark).fill;
  colour.setAlphaF(dark ? 0.5f : 0.35f);
  return colour;
}

// Both keep their order with colour-blind eyes and in grey, and begin near the ground they are drawn on, so
// that what is cold does not catch the eye: blues on paper; on a dark ground the "cividis" map without its
// last tenth, a yellow that outshouts all else where it fills an area.
QColor heatColour(double share, bool dark) {
  static constexpr int kLight[][3] = {{238, 242, 247}, {198, 215, 238}, {150, 184, 222},
                                      {96, 146, 203},  {44, 98, 168},   {8, 40, 98}};
  static constexpr int kDark[][3] = {{0, 34, 78},     {53, 69, 108},   {102, 105, 112},
                                     {148, 142, 119}, {200, 184, 102}, {225, 204, 85}};
  static_assert(std::size(kLight) == std::size(kDark));
  const auto& stops = dark ? kDark : kLight;
  constexpr int kLast = static_cast<int>(std::size(kLight)) - 1;
  const double position = std::clamp(share, 0.0, 1.0) * kLast;
  const int lower = std::min(static_cast<int>(position), kLast - 1);
  const double part = position - lower;
  auto mix = [&](int channel) {
    return static_cast<int>(stops[lower][channel] * (1 - part) + stops[lower + 1][channel] * part + 0.5);
  };
  return QColor(mix(0), mix(1), mix(2));
}

}  // namespace hilo
