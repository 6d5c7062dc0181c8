#include "core/hlo/proto/shape_proto.h"

#include <memory>

namespace hilo {
namespace {

std::unexpected<Diagnostic> badShape(std::string message) { return fail("bad-shape", std::move(message)); }

Result<std::optional<ElementType>> readOptionalType(int number) {
  if (number == pb::PRIMITIVE_TYPE_INVALID) return std::nullopt;
  const auto type = elementTypeFromNumber(number);
  if (!type) return badShape(fmt::format("element type {} is not known", number));
  return type;
}

// XLA writes one flag a dimension, or none; readers of this room take missing flags as false.
template <typename Flags>
bool flagAt(const Flags& flags, int index) {
  return index < flags.size() && flags.Get(index);
}

void readDimLevels(const pb::LayoutProto& proto, Layout& layout) {
  const int count =
      std::max({proto.dim_level_types_size(), proto.dim_unique_size(), proto.dim_ordered_size()});
  for (int i = 0; i < count; ++i) {
    DimLevel level;
    if (i < proto.dim_level_types_size())
      level.type = static_cast<DimLevelType>(proto.dim_level_types(i) & 3);
    if (i < proto.dim_unique_size()) level.unique = proto.dim_unique(i);
    if (i < proto.dim_ordered_size()) level.ordered = proto.dim_ordered(i);
    layout.dimLevels.push_back(level);
  }
}

Status checkPermutation(const std::vector<int64_t>& minorToMajor, size_t rank) {
  std::vector<bool> seen(rank, false);
  if (minorToMajor.size() == rank) {
    for (int64_t dimension : minorToMajor) {
      if (dimension < 0 || dimension >= static_cast<int64_t>(rank) || seen[dimension]) break;
      seen[dimension] = true;
    }
  }
  if (minorToMajor.size() == rank && std::ranges::find(seen, false) == seen.end()) return {};
  return fail("bad-layout", fmt::format("minor_to_major {{{}}} is not a permutation of {} dimensions",
                                        fmt::join(minorToMajor, ","), rank));
}

Result<Layout> readLayout(const pb::LayoutProto& proto, size_t rank) {
  Layout layout;
  layout.minorToMajor.assign(proto.minor_to_major().begin(), proto.minor_to_major().end());
  TRY_STATUS(checkPermutation(layout.minorToMajor, rank));
  readDimLevels(proto, layout);
  for (const auto& tile : proto.tiles()) {
    layout.tiles.push_back({std::vector<int64_t>(tile.dimensions().begin(), tile.dimensions().end())});
  }
  if (proto.tail_padding_alignment_in_elements() != 0) {
    layout.tailPaddingAlignment = proto.tail_padding_alignment_in_elements();
  }
  TRY(layout.indexPrimitiveType, readOptionalType(proto.index_primitive_type()));
  TRY(layout.pointerPrimitiveType, readOptionalType(proto.pointer_primitive_type()));
  layout.elementSizeInBits = proto.element_size_in_bits();
  layout.memorySpace = proto.memory_space();
  for (const auto& split : proto.split_configs()) {
    layout.splitConfigs.push_back({split.dimension(), std::vector<int64_t>(split.split_indices().begin(),
                                                                           split.split_indices().end())});
  }
  if (proto.has_physical_shape()) {
    TRY(Shape physical, readShape(proto.physical_shape()));
    layout.physicalShape.push_back(physical);
  }
  layout.dynamicShapeMetadataPrefixBytes = proto.dynamic_shape_metadata_prefix_bytes();
  return layout;
}

Result<Shape> readArray(const pb::ShapeProto& proto, ElementType type) {
  const size_t rank = proto.dimensions_size();
  const auto dynamic = std::make_unique<bool[]>(rank);
  bool anyDynamic = false;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t size = proto.dimensions(i);
    if (size < 0 && size != kUnboundedSize) return badShape(fmt::format("dimension {} has size {}", i, size));
    dynamic[i] = flagAt(proto.is_dynamic_dimension(), i);
    anyDynamic |= dynamic[i];
  }
  const std::span<const int64_t> dimensions(proto.dimensions().data(), rank);
  const std::span<const bool> flags(dynamic.get(), anyDynamic ? rank : 0);
  if (!proto.has_layout()) return Shape::dynamicArray(type, dimensions, flags);
  TRY(const Layout layout, readLayout(proto.layout(), rank));
  return Shape::dynamicArray(type, dimensions, flags, &layout);
}

}  // namespace

Result<Shape> readShape(const pb::ShapeProto& proto) {
  const auto type = elementTypeFromNumber(proto.element_type());
  if (!type) return badShape(fmt::format("element type {} is not known", int(proto.element_type())));
  if (isArrayElement(*type)) return readArray(proto, *type);
  if (*type == ElementType::Token) return Shape::token();
  if (*type == ElementType::Opaque) return Shape::opaque();
  std::vector<Shape> elements;
  elements.reserve(proto.tuple_shapes_size());
  for (const auto& element : proto.tuple_shapes()) {
    TRY(Shape shape, readShape(element));
    elements.push_back(shape);
  }
  if (*type == ElementType::Tuple) return Shape::tuple(elements);
  if (elements.size() != 1 || !elements[0].isArray())
    return badShape("a buffer shape must wrap one array shape");
  return Shape::buffer(elements[0]);
}

void writeLayout(const Layout& layout, pb::LayoutProto& proto) {
  proto.mutable_minor_to_major()->Add(layout.minorToMajor.begin(), layout.minorToMajor.end());
  for (const DimLevel& level : layout.dimLevels) {
    proto.add_dim_level_types(static_cast<pb::DimLevelType>(level.type));
    proto.add_dim_unique(level.unique);
    proto.add_dim_ordered(level.ordered);
  }
  for (const Tile& tile : layout.tiles) {
    proto.add_tiles()->mutable_dimensions()->Add(tile.dimensions.begin(), tile.dimensions.end());
  }
  proto.set_tail_padding_alignment_in_elements(layout.tailPaddingAlignment);
  const auto number = [](std::optional<ElementType> type) {
    return type ? static_cast<pb::PrimitiveType>(elementTypeNumber(*type)) : pb::PRIMITIVE_TYPE_INVALID;
  };
  proto.set_index_primitive_type(number(layout.indexPrimitiveType));
  proto.set_pointer_primitive_type(number(layout.pointerPrimitiveType));
  proto.set_element_size_in_bits(layout.elementSizeInBits);
  proto.set_memory_space(layout.memorySpace);
  for (const SplitConfig& split : layout.splitConfigs) {
    auto& out = *proto.add_split_configs();
    out.set_dimension(split.dimension);
    out.mutable_split_indices()->Add(split.splitIndices.begin(), split.splitIndices.end());
  }
  if (!layout.physicalShape.empty()) writeShape(layout.physicalShape[0], *proto.mutable_physical_shape());
  proto.set_dynamic_shape_metadata_prefix_bytes(layout.dynamicShapeMetadataPrefixBytes);
}

void writeShape(Shape shape, pb::ShapeProto& proto) {
  proto.set_element_type(static_cast<pb::PrimitiveType>(elementTypeNumber(shape.elementType())));
  if (shape.isBuffer()) {
    writeShape(shape.bufferShape(), *proto.add_tuple_shapes());
    return;
  }
  for (Shape element : shape.tupleShapes()) writeShape(element, *proto.add_tuple_shapes());
  if (!shape.isArray()) return;
  for (size_t i = 0; i < shape.rank(); ++i) {
    proto.add_dimensions(shape.dimension(i));
    proto.add_is_dynamic_dimension(shape.isDynamicDimension(i));
  }
  if (const Layout* layout = shape.layout()) writeLayout(*layout, *proto.mutable_layout());
}

}  // namespace hilo
