// An array as memory: at which bit each element lies, which element lies at a bit, and what is padding. By
// the layout's order and tiles (physical_layout.h), its element size and its prefix.
#pragma once

#include <string>

#include "core/analysis/physical_layout.h"

namespace hilo {

struct ArrayAddresses {
  Shape shape;  // with a layout
  PhysicalLayout layout;
  int64_t elementBits = 0;
  int64_t prefixBytes = 0;  // sizes of dynamic dimensions, in front of the elements
  int64_t dataBytes = 0;    // of the elements alone, the last byte whole
  int64_t bytes = 0;        // with prefix, padding of tiles and of the tail; saturates

  int64_t wastedBytes() const { return bytes - dataBytes; }
  // From the start of the array.
  int64_t bitOf(std::span<const int64_t> index) const;
  // Nothing for padding, the prefix, and what is outside of the array.
  std::optional<std::vector<int64_t>> elementAt(int64_t bit) const;
};

// Of a shape without a layout, as if its dimensions lay in their order. Nothing where physicalLayout() has
// nothing; whyNoAddresses() says why.
std::optional<ArrayAddresses> arrayAddresses(Shape shape);
std::string whyNoAddresses(Shape shape);

// "5: memory of the host", "0": what the number means where XLA gives it a meaning.
std::string memorySpaceText(int64_t space);

}  // namespace hilo
