#include "plugins/stablehlo/mesh_groups.h"

#include <mlir/IR/BuiltinAttributes.h>

#include "plugins/stablehlo/module_converter.h"

namespace hilo::stablehlo {
namespace {

constexpr int64_t kMaxDevices = 1 << 20;

struct Axis {
  std::string name;
  int64_t size = 0;
};
struct Mesh {
  std::vector<Axis> axes;  // the first is the most significant
  Integers deviceIds;      // empty: devices are numbered by their coordinates
};

// Integers between `open` and the next ']' of Shardy's text.
Integers numbersAfter(llvm::StringRef text, llvm::StringRef open) {
  Integers numbers;
  const size_t at = text.find(open);
  if (at == llvm::StringRef::npos) return numbers;
  llvm::SmallVector<llvm::StringRef> words;
  text.substr(at + open.size()).take_until([](char c) { return c == ']'; }).split(words, ',', -1, false);
  for (llvm::StringRef word : words) {
    int64_t number = 0;
    if (!word.trim().getAsInteger(10, number)) numbers.push_back(number);
  }
  return numbers;
}

// `<["x"=2, "y"=4], device_ids=[...]>`: what sdy.mesh keeps.
Mesh readText(llvm::StringRef text) {
  Mesh mesh;
  mesh.deviceIds = numbersAfter(text, "device_ids=[");
  llvm::StringRef axes = text.split('[').second.split(']').first;
  while (!axes.empty()) {
    const auto [axis, rest] = axes.split(',');
    const auto [name, size] = axis.split('=');
    Axis& one = mesh.axes.emplace_back(Axis{name.trim(" \"").str(), 0});
    if (size.trim().getAsInteger(10, one.size)) one.size = 0;
    axes = rest;
  }
  return mesh;
}

// `#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<...>>`.
Mesh readAttribute(mlir::DictionaryAttr fields) {
  Mesh mesh;
  mesh.deviceIds = integersOf(fields.get("device_ids")).value_or(Integers{});
  for (mlir::Attribute one : fields.getAs<mlir::ArrayAttr>("axes")
                                 ? fields.getAs<mlir::ArrayAttr>("axes").getValue()
                                 : llvm::ArrayRef<mlir::Attribute>()) {
    const auto axis = llvm::dyn_cast<mlir::DictionaryAttr>(one);
    const auto name = axis ? axis.getAs<mlir::StringAttr>("name") : mlir::StringAttr();
    const auto size = axis ? integersOf(axis.get("size")) : std::nullopt;
    mesh.axes.push_back({name ? name.str() : "", size && size->size() == 1 ? (*size)[0] : 0});
  }
  return mesh;
}

std::optional<Mesh> readMesh(OpConversion& c, mlir::Attribute attribute) {
  if (const auto fields = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(attribute))
    return readAttribute(fields);
  llvm::StringRef name;
  if (const auto symbol = llvm::dyn_cast_or_null<mlir::FlatSymbolRefAttr>(attribute))
    name = symbol.getValue();
  if (const auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(attribute)) name = text.getValue();
  mlir::Operation* found = c.module.symbol(name);
  const auto text = found != nullptr ? found->getAttrOfType<mlir::StringAttr>("mesh") : mlir::StringAttr();
  if (text) return readText(text.getValue());
  (void)c.error("has replica groups over @" + name + ", which is no mesh of this module");
  return std::nullopt;
}

// A digit of a device's number: the devices whose coordinate differs by one are `stride` apart.
struct Digit {
  int64_t size = 1, stride = 1;
};

// A reference to an axis, or to the part of it that has `size` positions below `before` coarser ones.
struct AxisPart {
  size_t axis = 0, place = 0;  // place: where it stands among the references
  int64_t before = 1, size = 0;
};

std::optional<std::vector<AxisPart>> readParts(const Mesh& mesh, mlir::ArrayAttr references) {
  std::vector<AxisPart> parts;
  for (mlir::Attribute reference : references) {
    const auto fields = llvm::dyn_cast<mlir::DictionaryAttr>(reference);
    // A name alone is the whole axis.
    const auto name =
        fields ? fields.getAs<mlir::StringAttr>("name") : llvm::dyn_cast<mlir::StringAttr>(reference);
    if (!name) return std::nullopt;
    const auto axis = llvm::find_if(mesh.axes, [&](const Axis& one) { return one.name == name.getValue(); });
    if (axis == mesh.axes.end()) return std::nullopt;
    AxisPart part{
        .axis = static_cast<size_t>(axis - mesh.axes.begin()), .place = parts.size(), .size = axis->size};
    if (mlir::Attribute sub = fields ? fields.get("sub_axis_info") : mlir::Attribute()) {
      const auto numbers = integersOf(sub);
      if (!numbers || numbers->size() != 2) return std::nullopt;
      part.before = (*numbers)[0];
      part.size = (*numbers)[1];
    }
    if (part.before < 1 || part.size < 1 || axis->size % part.before != 0 ||
        axis->size / part.before % part.size != 0)
      return std::nullopt;
    parts.push_back(part);
  }
  return parts;
}

// The digits of all axes: those the parts name, in their order, and all others, the most significant first.
struct Digits {
  std::vector<Digit> named, others;
};

std::optional<Digits> digitsOf(const Mesh& mesh, std::vector<AxisPart> parts) {
  Digits digits;
  digits.named.resize(parts.size());
  llvm::sort(parts, [](const AxisPart& a, const AxisPart& b) {
    return std::pair(a.axis, a.before) < std::pair(b.axis, b.before);
  });
  int64_t stride = 1;
  for (const Axis& axis : mesh.axes) stride *= axis.size;
  auto part = parts.begin();
  for (size_t n = 0; n < mesh.axes.size(); ++n) {
    int64_t left = mesh.axes[n].size, before = 1;
    const auto take = [&](int64_t size) {
      stride /= size;
      left /= size;
      before *= size;
      return Digit{size, stride};
    };
    for (; part != parts.end() && part->axis == n; ++part) {
      if (part->before < before || part->before % before != 0) return std::nullopt;  // parts overlap
      if (part->before > before) digits.others.push_back(take(part->before / before));
      if (left % part->size != 0) return std::nullopt;
      digits.named[part->place] = take(part->size);
    }
    if (left > 1) digits.others.push_back(take(left));
  }
  return digits;
}

// Sums of one multiple of every stride, the first digit's changing slowest.
Integers offsetsOf(llvm::ArrayRef<Digit> digits) {
  Integers offsets{0};
  for (const Digit& digit : digits) {
    Integers next;
    for (const int64_t offset : offsets) {
      for (int64_t n = 0; n < digit.size; ++n) next.push_back(offset + n * digit.stride);
    }
    offsets = std::move(next);
  }
  return offsets;
}

// How many devices; nothing when a size makes no sense.
std::optional<int64_t> deviceCount(const Mesh& mesh) {
  int64_t count = 1;
  for (const Axis& axis : mesh.axes) {
    if (axis.size < 1 || axis.size > kMaxDevices || (count *= axis.size) > kMaxDevices) return std::nullopt;
  }
  return count;
}

}  // namespace

std::optional<std::vector<Integers>> meshGroups(OpConversion& c, mlir::DictionaryAttr attribute) {
  const auto mesh = readMesh(c, attribute.get("mesh"));
  if (!mesh) return std::nullopt;
  const auto count = deviceCount(*mesh);
  const auto references = attribute.getAs<mlir::ArrayAttr>("axes");
  const auto parts =
      count ? readParts(*mesh, references ? references : mlir::ArrayAttr::get(c.op->getContext(), {}))
            : std::nullopt;
  const auto digits = parts ? digitsOf(*mesh, *parts) : std::nullopt;
  if (!digits || (!mesh->deviceIds.empty() && static_cast<int64_t>(mesh->deviceIds.size()) != *count)) {
    (void)c.error("has replica groups over axes its mesh does not have, or a mesh of impossible size");
    return std::nullopt;
  }
  std::vector<Integers> groups;
  const Integers members = offsetsOf(digits->named);
  for (const int64_t first : offsetsOf(digits->others)) {
    Integers& group = groups.emplace_back();
    for (const int64_t member : members) {
      const int64_t device = first + member;
      group.push_back(mesh->deviceIds.empty() ? device : mesh->deviceIds[static_cast<size_t>(device)]);
    }
  }
  return groups;
}

}  // namespace hilo::stablehlo
