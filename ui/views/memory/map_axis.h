// What a map runs along: steps, each as wide as the other, or time, each step as wide as its instruction is
// estimated to take. Places along it are steps or nanoseconds from its beginning.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hilo {

// A step and how much of it has passed, from 0 to 1.
struct MapPlace {
  int64_t step = 0;
  double part = 0;
  friend bool operator==(const MapPlace&, const MapPlace&) = default;
};

class MapAxis {
 public:
  // As many steps as there are, the one after the last instruction included.
  static MapAxis ofSteps(size_t count);
  // By instruction; the step after the last is a hundredth of all, so that it can be seen. Of steps where
  // nothing takes any time.
  static MapAxis ofTimes(std::span<const double> ns);

  bool isTime() const { return isTime_; }
  double length() const { return begins_.back(); }
  // Where a step begins, which is where the one before it ends.
  double at(int64_t step) const;
  // The step there, of several at one place the last; the nearest outside.
  int64_t stepAt(double place) const;
  double at(const MapPlace& place) const;
  MapPlace placeAt(double at) const;

 private:
  std::vector<double> begins_{0, 1};  // one more than there are steps
  bool isTime_ = false;
};

}  // namespace hilo
