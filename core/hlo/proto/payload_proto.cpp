#include "core/hlo/proto/payload_proto.h"

#include <map>
#include <vector>

namespace hilo {
namespace {

std::string_view keep(Arena& arena, const std::string& text) { return arena.copy(std::string_view(text)); }

std::span<const int64_t> keep(Arena& arena, const google::protobuf::RepeatedField<int64_t>& numbers) {
  return arena.copy(std::span<const int64_t>(numbers.data(), numbers.size()));
}

void add(std::span<const int64_t> numbers, google::protobuf::RepeatedField<int64_t>& field) {
  field.Add(numbers.begin(), numbers.end());
}

}  // namespace

OpMetadata readMetadata(const pb::OpMetadata& proto, Arena& arena) {
  OpMetadata metadata;
  metadata.opType = keep(arena, proto.op_type());
  metadata.opName = keep(arena, proto.op_name());
  metadata.sourceFile = keep(arena, proto.source_file());
  metadata.sourceLine = proto.source_line();
  metadata.sourceEndLine = proto.source_end_line();
  metadata.sourceColumn = proto.source_column();
  metadata.sourceEndColumn = proto.source_end_column();
  metadata.stackFrameId = proto.stack_frame_id();
  auto types = arena.allocateArray<int64_t>(proto.profile_type_size());
  std::ranges::copy(proto.profile_type(), types.begin());
  metadata.profileType = types;
  metadata.deduplicatedName = keep(arena, proto.deduplicated_name());
  metadata.schedulingName = keep(arena, proto.scheduling_name());
  metadata.payload = keep(arena, proto.metadata_payload().value());
  metadata.sizeOfGeneratedCodeInBytes = proto.size_of_generated_code_in_bytes();
  metadata.sizeOfMemoryWorkingSetInBytes = proto.size_of_memory_working_set_in_bytes();
  return metadata;
}

void clearReadMetadata(pb::OpMetadata& proto) {
  proto.clear_op_type();
  proto.clear_op_name();
  proto.clear_source_file();
  proto.clear_source_line();
  proto.clear_source_end_line();
  proto.clear_source_column();
  proto.clear_source_end_column();
  proto.clear_stack_frame_id();
  proto.clear_profile_type();
  proto.clear_deduplicated_name();
  proto.clear_scheduling_name();
  if (proto.metadata_payload().has_value()) proto.clear_metadata_payload();
  proto.clear_size_of_generated_code_in_bytes();
  proto.clear_size_of_memory_working_set_in_bytes();
}

void writeMetadata(const OpMetadata& metadata, pb::OpMetadata& proto) {
  proto.set_op_type(std::string(metadata.opType));
  proto.set_op_name(std::string(metadata.opName));
  proto.set_source_file(std::string(metadata.sourceFile));
  proto.set_source_line(metadata.sourceLine);
  proto.set_source_end_line(metadata.sourceEndLine);
  proto.set_source_column(metadata.sourceColumn);
  proto.set_source_end_column(metadata.sourceEndColumn);
  proto.set_stack_frame_id(metadata.stackFrameId);
  for (int64_t type : metadata.profileType) proto.add_profile_type(static_cast<pb::ProfileType>(type));
  proto.set_deduplicated_name(std::string(metadata.deduplicatedName));
  proto.set_scheduling_name(std::string(metadata.schedulingName));
  if (!metadata.payload.empty()) proto.mutable_metadata_payload()->set_value(std::string(metadata.payload));
  proto.set_size_of_generated_code_in_bytes(metadata.sizeOfGeneratedCodeInBytes);
  proto.set_size_of_memory_working_set_in_bytes(metadata.sizeOfMemoryWorkingSetInBytes);
}

Window readWindow(const pb::Window& proto, Arena& arena) {
  auto dimensions = arena.allocateArray<WindowDimension>(proto.dimensions_size());
  for (int i = 0; i < proto.dimensions_size(); ++i) {
    const auto& d = proto.dimensions(i);
    new (&dimensions[i]) WindowDimension{.size = d.size(),
                                         .stride = d.stride(),
                                         .paddingLow = d.padding_low(),
                                         .paddingHigh = d.padding_high(),
                                         .windowDilation = d.window_dilation(),
                                         .baseDilation = d.base_dilation(),
                                         .windowReversal = d.window_reversal()};
  }
  return {dimensions};
}

void writeWindow(const Window& window, pb::Window& proto) {
  for (const WindowDimension& d : window.dimensions) {
    auto& out = *proto.add_dimensions();
    out.set_size(d.size);
    out.set_stride(d.stride);
    out.set_padding_low(d.paddingLow);
    out.set_padding_high(d.paddingHigh);
    out.set_window_dilation(d.windowDilation);
    out.set_base_dilation(d.baseDilation);
    out.set_window_reversal(d.windowReversal);
  }
}

ConvolutionDimensionNumbers readConvolutionDimensions(const pb::ConvolutionDimensionNumbers& proto,
                                                      Arena& arena) {
  return {.inputBatch = proto.input_batch_dimension(),
          .inputFeature = proto.input_feature_dimension(),
          .inputSpatial = keep(arena, proto.input_spatial_dimensions()),
          .kernelInputFeature = proto.kernel_input_feature_dimension(),
          .kernelOutputFeature = proto.kernel_output_feature_dimension(),
          .kernelSpatial = keep(arena, proto.kernel_spatial_dimensions()),
          .outputBatch = proto.output_batch_dimension(),
          .outputFeature = proto.output_feature_dimension(),
          .outputSpatial = keep(arena, proto.output_spatial_dimensions())};
}

void writeConvolutionDimensions(const ConvolutionDimensionNumbers& numbers,
                                pb::ConvolutionDimensionNumbers& proto) {
  proto.set_input_batch_dimension(numbers.inputBatch);
  proto.set_input_feature_dimension(numbers.inputFeature);
  add(numbers.inputSpatial, *proto.mutable_input_spatial_dimensions());
  proto.set_kernel_input_feature_dimension(numbers.kernelInputFeature);
  proto.set_kernel_output_feature_dimension(numbers.kernelOutputFeature);
  add(numbers.kernelSpatial, *proto.mutable_kernel_spatial_dimensions());
  proto.set_output_batch_dimension(numbers.outputBatch);
  proto.set_output_feature_dimension(numbers.outputFeature);
  add(numbers.outputSpatial, *proto.mutable_output_spatial_dimensions());
}

std::span<const FrontendAttribute> readFrontendAttributes(const pb::FrontendAttributes& proto, Arena& arena) {
  auto list = arena.allocateArray<FrontendAttribute>(proto.map().size());
  size_t count = 0;
  for (const auto& [name, value] : proto.map()) {
    new (&list[count++]) FrontendAttribute{keep(arena, name), keep(arena, value)};
  }
  std::ranges::sort(list, {}, &FrontendAttribute::name);
  return list;
}

void writeFrontendAttributes(std::span<const FrontendAttribute> attributes, pb::FrontendAttributes& proto) {
  for (const FrontendAttribute& attribute : attributes) {
    (*proto.mutable_map())[std::string(attribute.name)] = std::string(attribute.value);
  }
}

namespace {

// The tree while it is built: children by index, in order.
struct OriginNode {
  std::vector<OriginNode> children;
  const pb::OriginalArrayProto* array = nullptr;
};

constexpr int64_t kMaxOriginNodes = 1 << 20;

bool addOrigin(OriginNode& root, const pb::OriginalValueElementProto& element, int64_t& nodeCount) {
  OriginNode* node = &root;
  for (int64_t index : element.shape_index()) {
    if (index < 0 ||
        (nodeCount += std::max<int64_t>(0, index + 1 - int64_t(node->children.size()))) > kMaxOriginNodes) {
      return false;
    }
    if (index >= static_cast<int64_t>(node->children.size())) node->children.resize(index + 1);
    node = &node->children[index];
  }
  if (element.has_original_array()) node->array = &element.original_array();
  return true;
}

OriginalValueNode keepOrigin(const OriginNode& node, Arena& arena) {
  OriginalValueNode kept;
  kept.isTuple = !node.children.empty();
  kept.hasArray = !kept.isTuple && node.array != nullptr;
  if (kept.hasArray) {
    kept.instruction = keep(arena, node.array->instruction_name());
    kept.shapeIndex = keep(arena, node.array->shape_index());
  }
  auto elements = arena.allocateArray<OriginalValueNode>(node.children.size());
  for (size_t i = 0; i < elements.size(); ++i)
    new (&elements[i]) OriginalValueNode(keepOrigin(node.children[i], arena));
  kept.elements = elements;
  return kept;
}

void writeOrigin(const OriginalValueNode& node, std::vector<int64_t>& index, pb::OriginalValueProto& proto) {
  if (node.isTuple) {
    for (size_t i = 0; i < node.elements.size(); ++i) {
      index.push_back(static_cast<int64_t>(i));
      writeOrigin(node.elements[i], index, proto);
      index.pop_back();
    }
    return;
  }
  auto& element = *proto.add_elements();
  add(index, *element.mutable_shape_index());
  if (!node.hasArray) return;
  element.mutable_original_array()->set_instruction_name(std::string(node.instruction));
  add(node.shapeIndex, *element.mutable_original_array()->mutable_shape_index());
}

}  // namespace

std::optional<OriginalValue> readOriginalValue(const pb::OriginalValueProto& proto, Arena& arena) {
  OriginalValue value;
  value.isSyntheticCall = proto.is_synthetic_call();
  OriginNode root;
  int64_t nodeCount = 1;
  for (const auto& element : proto.elements()) {
    // A tree as deep as the longest index; shapes nest far less.
    if (element.shape_index_size() > 100 || !addOrigin(root, element, nodeCount)) return std::nullopt;
  }
  value.root = keepOrigin(root, arena);
  return value;
}

void writeOriginalValue(const OriginalValue& value, pb::OriginalValueProto& proto) {
  if (value.isSyntheticCall) {
    proto.set_is_synthetic_call(true);
    return;
  }
  std::vector<int64_t> index;
  writeOrigin(value.root, index, proto);
}

namespace {

TensorSparsity readTensorSparsity(const pb::SparsityConfig::TensorSparsityConfig& proto) {
  return {proto.num_non_zero(), proto.block_size(), proto.dimension(), proto.stride()};
}

void writeTensorSparsity(const TensorSparsity& sparsity, pb::SparsityConfig::TensorSparsityConfig& proto) {
  proto.set_num_non_zero(sparsity.numNonZero);
  proto.set_block_size(sparsity.blockSize);
  proto.set_dimension(sparsity.dimension);
  proto.set_stride(sparsity.stride);
}

}  // namespace

SparsityConfig readSparsity(const pb::SparsityConfig& proto) {
  SparsityConfig config;
  if (proto.has_lhs()) config.lhs = readTensorSparsity(proto.lhs());
  if (proto.has_rhs()) config.rhs = readTensorSparsity(proto.rhs());
  return config;
}

void writeSparsity(const SparsityConfig& config, pb::SparsityConfig& proto) {
  if (config.lhs) writeTensorSparsity(*config.lhs, *proto.mutable_lhs());
  if (config.rhs) writeTensorSparsity(*config.rhs, *proto.mutable_rhs());
}

StackFrameTables readStackFrames(const pb::StackFrameIndexProto& proto, Arena& arena) {
  StackFrameTables tables;
  for (const auto& name : proto.file_names()) tables.fileNames.push_back(keep(arena, name));
  for (const auto& name : proto.function_names()) tables.functionNames.push_back(keep(arena, name));
  for (const auto& location : proto.file_locations()) {
    tables.fileLocations.push_back({.fileNameId = location.file_name_id(),
                                    .functionNameId = location.function_name_id(),
                                    .line = location.line(),
                                    .endLine = location.end_line(),
                                    .column = location.column(),
                                    .endColumn = location.end_column()});
  }
  for (const auto& frame : proto.stack_frames()) {
    tables.stackFrames.push_back({frame.file_location_id(), frame.parent_frame_id()});
  }
  return tables;
}

void writeStackFrames(const StackFrameTables& tables, pb::StackFrameIndexProto& proto) {
  for (std::string_view name : tables.fileNames) proto.add_file_names(std::string(name));
  for (std::string_view name : tables.functionNames) proto.add_function_names(std::string(name));
  for (const FileLocation& location : tables.fileLocations) {
    auto& out = *proto.add_file_locations();
    out.set_file_name_id(location.fileNameId);
    out.set_function_name_id(location.functionNameId);
    out.set_line(location.line);
    out.set_end_line(location.endLine);
    out.set_column(location.column);
    out.set_end_column(location.endColumn);
  }
  for (const StackFrame& frame : tables.stackFrames) {
    auto& out = *proto.add_stack_frames();
    out.set_file_location_id(frame.fileLocationId);
    out.set_parent_frame_id(frame.parentFrameId);
  }
}

}  // namespace hilo
