#include "ui/views/memory/map_axis.h"

#include <algorithm>

namespace hilo {
namespace {

constexpr double kEndShare = 0.01;

}  // namespace

MapAxis MapAxis::ofSteps(size_t count) {
  MapAxis axis;
  axis.begins_.clear();
  for (size_t i = 0; i <= std::max<size_t>(1, count); ++i) axis.begins_.push_back(static_cast<double>(i));
  return axis;
}

MapAxis MapAxis::ofTimes(std::span<const double> ns) {
  MapAxis axis;
  axis.isTime_ = true;
  axis.begins_ = {0};
  for (const double each : ns) axis.begins_.push_back(axis.begins_.back() + std::max(0.0, each));
  const double all = axis.begins_.back();
  if (all <= 0) return ofSteps(ns.size() + 1);
  axis.begins_.push_back(all * (1 + kEndShare));
  return axis;
}

double MapAxis::at(int64_t step) const {
  const auto last = static_cast<int64_t>(begins_.size()) - 1;
  return begins_[static_cast<size_t>(std::clamp<int64_t>(step, 0, last))];
}

double MapAxis::at(const MapPlace& place) const {
  return at(place.step) + place.part * (at(place.step + 1) - at(place.step));
}

MapPlace MapAxis::placeAt(double at) const {
  const int64_t step = stepAt(at);
  const double from = this->at(step), wide = this->at(step + 1) - from;
  return {step, wide > 0 ? std::clamp((at - from) / wide, 0.0, 1.0) : 0};
}

int64_t MapAxis::stepAt(double place) const {
  const auto after = std::ranges::upper_bound(begins_, place);
  const auto last = static_cast<int64_t>(begins_.size()) - 2;
  return std::clamp<int64_t>(after - begins_.begin() - 1, 0, last);
}

}  // namespace hilo
