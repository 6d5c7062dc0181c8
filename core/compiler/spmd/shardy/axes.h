// Meshes and their axes, as Shardy names devices. A mesh arranges the devices in a grid of named axes; an
// array's dimension is cut along a list of axes, the first one outermost. An axis may be used in parts:
// "a":(2)4 of an axis of 8 is what remains of it after an outer part of 2.
//
// The same rules as axis_list_ref.h and AxisRefAttr of Shardy's dialect.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hilo::sdy {

struct Axis {
  std::string name;
  int64_t size = 1;
  friend bool operator==(const Axis&, const Axis&) = default;
};

struct Mesh {
  std::string name;  // "" where it is written inline
  std::vector<Axis> axes;
  std::vector<int64_t> devices;  // row-major over the axes; empty: 0, 1, 2, ...

  // All of an array on one device. No axes and no device: a mesh of nothing, which goes with any other.
  bool isOneDevice() const { return axes.empty() && !devices.empty(); }
  bool isEmpty() const { return axes.empty() && devices.empty(); }
  bool sameDevices(const Mesh& other) const { return axes == other.axes && devices == other.devices; }
};

// Axis number `axis` of a mesh, or a part of it: `size` devices along it, after an outer part of `before`.
struct AxisRef {
  int64_t axis = 0;
  int64_t before = 1;
  int64_t size = 1;
  int64_t end() const { return before * size; }
  friend bool operator==(const AxisRef&, const AxisRef&) = default;
};
using Axes = std::vector<AxisRef>;

int64_t sizeOf(std::span<const AxisRef> axes);
bool overlap(const AxisRef& a, const AxisRef& b);
// Whether both can be parts of one cut of their axis.
bool canCoexist(const AxisRef& a, const AxisRef& b);
bool isPrefix(const AxisRef& prefix, const AxisRef& of);
bool contains(const AxisRef& outer, const AxisRef& inner);
// The outer part of an axis that has nothing in common with others; nullopt: there is none.
std::optional<AxisRef> prefixWithout(AxisRef axis, std::span<const AxisRef> others);

enum class PrefixKind : uint8_t { None, Strict, Equal };
PrefixKind prefixKind(std::span<const AxisRef> prefix, std::span<const AxisRef> of);

// Adds an axis at the inner end; two neighbouring parts of one axis become one.
void append(Axes& axes, const AxisRef& axis);
// In the order of the mesh, neighbouring parts as one.
void sortAndMerge(Axes& axes);
// What of the axes lies on none of the others.
Axes without(std::span<const AxisRef> axes, std::span<const AxisRef> others);

// XLA's text: "\"a\"", "\"b\":(1)2".
std::string toString(const Mesh& mesh, const AxisRef& axis);

}  // namespace hilo::sdy
