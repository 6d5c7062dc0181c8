#include "tests/conformance/proto/proto_canonical.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>
#include <google/protobuf/util/field_comparator.h>
#include <google/protobuf/util/message_differencer.h>

#include <algorithm>

namespace hilo {
namespace {

using google::protobuf::Message;

// LayoutProto.format, which said "dense" in every layout until 2021.
constexpr int kRetiredFormat = 4;

// A submessage without content and an absent one say the same, but within a oneof.
void dropEmptyMessages(Message& message) {
  const auto* reflection = message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE || field->is_map()) continue;
    if (field->is_repeated()) {
      for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
        dropEmptyMessages(*reflection->MutableRepeatedMessage(&message, field, i));
      }
      continue;
    }
    Message& child = *reflection->MutableMessage(&message, field);
    dropEmptyMessages(child);
    if (child.ByteSizeLong() == 0) reflection->ClearField(&message, field);
  }
}

void canonicalizeShapes(Message& message) {
  const auto* reflection = message.GetReflection();
  if (message.GetDescriptor() == pb::ShapeProto::descriptor()) {
    // Older writers leave out flags that are all false, and alignments of 1.
    auto& shape = static_cast<pb::ShapeProto&>(message);
    if (std::ranges::find(shape.is_dynamic_dimension(), true) == shape.is_dynamic_dimension().end()) {
      shape.clear_is_dynamic_dimension();
    }
    if (shape.layout().tail_padding_alignment_in_elements() == 1) {
      shape.mutable_layout()->clear_tail_padding_alignment_in_elements();
    }
    if (shape.has_layout()) {
      auto& layout = *shape.mutable_layout();
      layout.GetReflection()->MutableUnknownFields(&layout)->DeleteByNumber(kRetiredFormat);
    }
  }
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE || field->is_map()) continue;
    if (!field->is_repeated()) {
      canonicalizeShapes(*reflection->MutableMessage(&message, field));
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      canonicalizeShapes(*reflection->MutableRepeatedMessage(&message, field, i));
    }
  }
}

void canonicalizeInstruction(pb::HloInstructionProto& instruction, const pb::HloModuleProto& module) {
  const auto& precisions = instruction.precision_config().operand_precision();
  if (std::ranges::all_of(precisions, [](int p) { return p == pb::PrecisionConfig::DEFAULT; })) {
    instruction.mutable_precision_config()->clear_operand_precision();
  }
  for (auto* list : {instruction.mutable_replica_groups()}) {
    if (list->empty()) continue;
    if (!instruction.has_collective_device_list()) {
      *instruction.mutable_collective_device_list()->mutable_replica_groups() = *list;
    }
    list->Clear();
  }
  if (instruction.feature_group_count() == 1) instruction.clear_feature_group_count();
  if (instruction.batch_group_count() == 1) instruction.clear_batch_group_count();
  if (instruction.backend_config_payload().has_id()) {
    instruction.set_backend_config(
        module.payloads(static_cast<int>(instruction.backend_config_payload().id())));
    instruction.clear_backend_config_payload();
  }
  if (instruction.has_sharding() && instruction.sharding().type() == pb::OpSharding::REPLICATED) {
    instruction.mutable_sharding()->clear_tile_assignment_devices();
    instruction.mutable_sharding()->clear_iota_reshape_dims();
    instruction.mutable_sharding()->clear_iota_transpose_perm();
  }
}

}  // namespace

void canonicalize(pb::HloModuleProto& module) {
  for (auto& computation : *module.mutable_computations()) {
    for (auto& instruction : *computation.mutable_instructions())
      canonicalizeInstruction(instruction, module);
    auto& instructions = *computation.mutable_instructions();
    std::sort(instructions.pointer_begin(), instructions.pointer_end(),
              [](const auto* a, const auto* b) { return a->id() < b->id(); });
  }
  module.clear_payloads();
  canonicalizeShapes(module);
  dropEmptyMessages(module);
}

std::string differences(const pb::HloModuleProto& a, const pb::HloModuleProto& b) {
  std::string report;
  google::protobuf::util::MessageDifferencer differencer;
  google::protobuf::util::DefaultFieldComparator comparator;
  comparator.set_treat_nan_as_equal(true);
  differencer.set_field_comparator(&comparator);
  differencer.ReportDifferencesToString(&report);
  if (differencer.Compare(a, b)) return {};
  return report.substr(0, 1500);
}

}  // namespace hilo
