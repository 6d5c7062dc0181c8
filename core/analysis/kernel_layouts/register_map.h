// Where each element of an array lies in the registers of a warpgroup, and what a register holds.
#pragma once

#include <optional>

#include "core/analysis/kernel_layouts/register_layout.h"

namespace hilo {

// One element's place in one thread. In tensor memory warp * 32 + lane is the row and `reg` the column.
struct RegisterPlace {
  int64_t warp = 0;
  int64_t lane = 0;
  int64_t reg = 0;   // vectors of vectorLength elements, counted as the array's tiles lie
  int64_t slot = 0;  // within the vector
  auto operator<=>(const RegisterPlace&) const = default;
};

class RegisterMap {
 public:
  // "kernel-layout" or "kernel-tiling" when the layout is not well formed or does not fit the shape;
  // "kernel-shape" for a shape without elements or of more than 2^40.
  static Result<RegisterMap> of(const RegisterLayout& layout, const Sizes& shape);

  const RegisterLayout& layout() const { return layout_; }
  const Sizes& shape() const { return shape_; }
  int64_t registersPerThread() const { return registers_; }
  int64_t vectorLength() const { return vectorLength_; }
  // Threads that hold each element.
  int64_t copies() const { return copies_; }

  // All places of an element, by warp, then lane. `index` lies within the shape.
  std::vector<RegisterPlace> placesOf(const Sizes& index) const;
  // The element at a place; nothing for a splat, whose register stands for all. The place exists.
  std::optional<Sizes> elementAt(const RegisterPlace& place) const;

 private:
  RegisterMap() = default;
  Sizes tiledIndexAt(const TiledLayout& layout, const RegisterPlace& place) const;

  RegisterLayout layout_;
  Sizes shape_;
  Sizes registerSizes_;  // the tiled shape with 1 where threads or the vector share a dimension
  int64_t registers_ = 1;
  int64_t vectorLength_ = 1;
  int64_t copies_ = 1;
};

}  // namespace hilo
