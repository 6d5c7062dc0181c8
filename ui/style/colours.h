// The colours of the studio, by what they mean. Nothing outside ui/style writes a literal colour. A
// theme is a plain value; a widget finds the theme to draw with from its palette, so a theme change is
// one palette change.
#pragma once

#include <array>
#include <cstdint>

#include <QColor>

class QWidget;
class QPalette;

namespace hilo {

enum class ColourRole : uint8_t {
  kWindow,
  kSurface,        // editors, trees, the canvas
  kSurfaceRaised,  // headers, cards, toolbars
  kText,
  kTextDim,
  kTextFaint,  // line numbers, placeholders
  kBorder,
  kAccent,
  kAccentText,
  kSelection,  // behind selected text and rows
  kHover,      // behind what the pointer is over
  kCurrentLine,
  kOccurrence,  // behind other occurrences of a word
  kFindMatch,
  kFindCurrent,
  kError,
  kWarning,
  kInfo,
  kSuccess,
  kAdded,
  kAddedStrong,  // the span that differs within an added line
  kRemoved,
  kRemovedStrong,
  kMoved,
  kChanged,
  kChangedStrong,
  kMarkAdded,  // saturated: gutter bars, node outlines
  kMarkRemoved,
  kMarkChanged,
  kEdge,
  kEdgeControl,
  kEdgeBundle,
  kEdgeHot,       // edges of the selected node
  kGroupFill,     // an open group, outermost
  kGroupFillAlt,  // an open group at the next depth
  kGroupBorder,
  kShadow,
  kSyntaxKeyword,
  kSyntaxOpcode,
  kSyntaxName,
  kSyntaxShape,
  kSyntaxNumber,
  kSyntaxString,
  kSyntaxComment,
  kSyntaxAttribute,
  kSyntaxDimmed,  // metadata and backend_config tails
  kCount,
};

// What a node is, fine enough for both node palettes.
enum class NodeRole : uint8_t {
  kElementwise,
  kBroadcast,
  kDynamicUpdateSlice,
  kDataMovement,  // reshape, transpose, concatenate, dynamic-slice, reverse
  kSlice,         // slice, pad, iota: cheap views
  kCopy,
  kBitcast,
  kMatmul,  // dot, convolution, fft, triangular-solve, cholesky
  kReduce,  // reduce, reduce-window, scatter, gather, batch-norm
  kSort,
  kFusion,
  kCollective,
  kTransfer,  // send, recv, infeed, outfeed
  kControlFlow,
  kCustomCall,
  kAsync,
  kParameter,
  kLargeParameter,  // 4,096 elements or more
  kConstant,
  kTuple,  // tuple, get-tuple-element, after-all, opt-barrier
  kRandom,
  kUnknown,
  kScope,  // a group that is not one instruction
  kCount,
};

// kOpcodeClass can be told apart with the common forms of colour blindness; kXla is what users of XLA's own
// graph dumps know.
enum class NodePalette : uint8_t { kOpcodeClass, kXla };

struct NodeColours {
  QColor fill;
  QColor border;
  QColor text;
};

struct Theme {
  bool dark = false;
  std::array<QRgb, static_cast<size_t>(ColourRole::kCount)> colours{};

  QColor colour(ColourRole role) const { return QColor::fromRgba(colours[static_cast<size_t>(role)]); }
};

const Theme& lightTheme();
const Theme& darkTheme();
// The theme whose brightness matches the palette's window colour.
const Theme& themeOf(const QPalette& palette);
const Theme& themeOf(const QWidget& widget);

NodeColours nodeColours(NodePalette palette, NodeRole role, bool dark);
// A short name for legends: "matmul", "collective".
const char* nodeRoleName(NodeRole role);

// One of a dozen fills that can be told from their neighbours; past those they begin again. kPlainCategory is
// the colour of what has none.
inline constexpr size_t kPlainCategory = SIZE_MAX;
NodeColours categoryColours(size_t category, bool dark);

// What tints lines of code that belong to one category, over the ground of a text; text stays readable on it.
QColor bandColour(size_t category, bool dark);

// A perceptually even ramp for overlays; `share` is clamped to [0, 1], 1 is hottest.
QColor heatColour(double share, bool dark);

}  // namespace hilo
