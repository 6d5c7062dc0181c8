// The keys by which people move along a timeline, the same in every view that has one: W and S zoom in and
// out, A and D pan, as in Perfetto and Nsight Systems; + and - zoom too; F and 0 show all of it.
#pragma once

#include <QKeyEvent>
#include <optional>

namespace hilo {

enum class TimelineMove { kZoomIn, kZoomOut, kPanLeft, kPanRight, kFit };

// nullopt: another key, or one with Ctrl or Alt.
std::optional<TimelineMove> timelineMoveOf(const QKeyEvent& event);

inline constexpr double kTimelineKeyZoom = 1.5;
// Of the width shown.
inline constexpr double kTimelineKeyPan = 0.2;

}  // namespace hilo
