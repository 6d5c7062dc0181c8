// Distances and fonts of the studio. Distances are in device-independent pixels.
#pragma once

#include <QFont>

namespace hilo {

inline constexpr int kSpaceTiny = 2;
inline constexpr int kSpaceSmall = 4;
inline constexpr int kSpace = 8;
inline constexpr int kSpaceLarge = 16;
inline constexpr int kCornerRadius = 4;

inline constexpr int kUiFontPx = 13;
inline constexpr int kCodeFontPx = 13;

QFont uiFont(int pixelSize = kUiFontPx);
// A fixed-pitch font; every character of a line of code is one cell wide.
QFont codeFont(int pixelSize = kCodeFontPx);

}  // namespace hilo
