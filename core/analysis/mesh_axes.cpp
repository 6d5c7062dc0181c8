// Which axes of a mesh a numbering of its devices depends on: a part of an array for each device, or a group.
#include <algorithm>
#include <optional>

#include "core/analysis/device_mesh.h"
#include "core/analysis/sharding_parts.h"

namespace hilo {
namespace {

// The part of an axis that numbers differ along: `size` values, each held by `run` neighbours, after a part
// of size `pre`.
struct AxisPart {
  int64_t size = 1, run = 1, pre = 1;
};

struct Line {
  size_t axis = 0;
  int64_t stride = 1, length = 1;
};

std::vector<Line> linesOf(const DeviceMesh& mesh) {
  std::vector<Line> lines;
  int64_t stride = 1;
  for (size_t a = mesh.axes.size(); a-- > 0;) {
    lines.push_back({a, stride, mesh.axes[a].size});
    stride *= mesh.axes[a].size;
  }
  std::ranges::reverse(lines);
  return lines;
}

// How the numbers change along the line through the first device; nullopt where that is no part of an axis,
// or it is not so on every parallel line. `numbers` by place.
std::optional<AxisPart> partAlong(const Line& line, const std::vector<int64_t>& numbers) {
  const auto at = [&](int64_t start, int64_t n) {
    return numbers[static_cast<size_t>(start + n * line.stride)];
  };
  AxisPart part;
  while (part.run < line.length && at(0, part.run) == at(0, 0)) ++part.run;
  if (part.run == line.length) {
    part = {.size = 1, .run = line.length, .pre = 1};
  } else {
    part.size = 1;
    while (part.size * part.run < line.length && at(0, part.size * part.run) != at(0, 0)) ++part.size;
    if (line.length % (part.size * part.run) != 0) return std::nullopt;
    part.pre = line.length / (part.size * part.run);
  }
  const auto places = static_cast<int64_t>(numbers.size());
  for (int64_t start = 0; start < places; ++start) {
    if (start / line.stride % line.length != 0) continue;
    for (int64_t n = 0; n < line.length; ++n) {
      const int64_t same = n / part.run % part.size * part.run;
      if (at(start, n) != at(start, same)) return std::nullopt;
    }
  }
  return part;
}

std::string partName(const DeviceMesh::Axis& axis, int64_t pre, int64_t size) {
  return size == axis.size ? axis.name : fmt::format("{}:({}){}", axis.name, pre, size);
}

// Numbers by place from numbers by device; empty where the two do not go together.
std::vector<int64_t> byPlace(const DeviceMesh& mesh, const std::vector<int64_t>& ofDevice) {
  if (ofDevice.size() != mesh.devices.size()) return {};
  std::vector<int64_t> numbers;
  for (const int64_t device : mesh.devices) {
    if (device < 0 || device >= static_cast<int64_t>(ofDevice.size())) return {};
    numbers.push_back(ofDevice[static_cast<size_t>(device)]);
  }
  return numbers;
}

// The axes the numbers depend on, those first along which they change most.
AxisNames axesOfNumbers(const DeviceMesh& mesh, const std::vector<int64_t>& numbers) {
  std::vector<std::pair<int64_t, std::string>> found;
  for (const Line& line : linesOf(mesh)) {
    const auto part = partAlong(line, numbers);
    if (!part) return {};
    if (part->size == 1) continue;
    const int64_t step = numbers[static_cast<size_t>(part->run * line.stride)] - numbers[0];
    found.emplace_back(-std::abs(step), partName(mesh.axes[line.axis], part->pre, part->size));
  }
  std::ranges::sort(found);
  AxisNames names;
  for (auto& [step, name] : found) names.push_back(std::move(name));
  return names;
}

// The one axis along which all devices of a group differ, as those of a permute among some of them; else
// empty. `groups` by place.
AxisNames onlyAxis(const DeviceMesh& mesh, const std::vector<int64_t>& groups) {
  std::vector<int64_t> firstOf(groups.size(), -1);  // by group
  std::optional<size_t> only;
  const std::vector<Line> lines = linesOf(mesh);
  for (int64_t place = 0; place < static_cast<int64_t>(groups.size()); ++place) {
    int64_t& first = firstOf[static_cast<size_t>(groups[static_cast<size_t>(place)])];
    if (first < 0) first = place;
    for (const Line& line : lines) {
      if (first / line.stride % line.length == place / line.stride % line.length) continue;
      if (only && *only != line.axis) return {};
      only = line.axis;
    }
  }
  return only ? AxisNames{mesh.axes[*only].name} : AxisNames();
}

}  // namespace

std::vector<AxisNames> axesOfDimensions(const DeviceMesh& mesh, const Sharding& sharding, size_t rank) {
  const auto parts = shardingParts(sharding, rank);
  if (!parts) return {};
  std::vector<AxisNames> dimensions;
  int64_t after = static_cast<int64_t>(parts->devicesOf.size());
  for (size_t d = 0; d < rank; ++d) {
    after /= parts->tiles[d];
    std::vector<int64_t> tile(parts->deviceAt.size(), 0);
    for (size_t place = 0; place < parts->deviceAt.size(); ++place) {
      const int64_t device = parts->deviceAt[place];
      if (device < 0 || device >= static_cast<int64_t>(tile.size())) return {};
      tile[static_cast<size_t>(device)] = parts->partOf[place] / after % parts->tiles[d];
    }
    const auto numbers = byPlace(mesh, tile);
    if (numbers.empty()) return {};
    dimensions.push_back(axesOfNumbers(mesh, numbers));
  }
  return dimensions;
}

AxisNames axesOfGroups(const DeviceMesh& mesh, const std::vector<std::vector<int64_t>>& groups) {
  std::vector<int64_t> groupOf(mesh.devices.size(), -1);
  if (groups.size() > groupOf.size()) return {};
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const int64_t device : groups[g]) {
      if (device < 0 || device >= static_cast<int64_t>(groupOf.size())) return {};
      groupOf[static_cast<size_t>(device)] = static_cast<int64_t>(g);
    }
  }
  const auto numbers = byPlace(mesh, groupOf);
  if (numbers.empty() || std::ranges::find(numbers, -1) != numbers.end()) return {};
  AxisNames names;
  for (const Line& line : linesOf(mesh)) {
    const auto part = partAlong(line, numbers);
    if (!part) return onlyAxis(mesh, numbers);
    if (part->pre > 1) names.push_back(partName(mesh.axes[line.axis], 1, part->pre));
    if (part->run > 1) names.push_back(partName(mesh.axes[line.axis], line.length / part->run, part->run));
  }
  return names;
}

}  // namespace hilo
