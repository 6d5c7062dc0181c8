#include "core/hlo/proto/module_proto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/proto/attribute_codec.h"
#include "core/hlo/proto/schema/hlo.pb.h"

namespace hilo {
namespace {

// f(p: f32[2]) = p + 1, as XLA's ids would have it: the computation's id in the high half.
pb::HloModuleProto addOne() {
  constexpr int64_t kHigh = int64_t{7} << 32;
  pb::HloModuleProto module;
  module.set_name("jit_f");
  module.set_id(12);
  module.set_entry_computation_name("main");
  module.set_entry_computation_id(7);
  auto& computation = *module.add_computations();
  computation.set_name("main");
  computation.set_id(7);
  const auto add = [&](const char* name, const char* opcode, int64_t id,
                       std::initializer_list<int64_t> operands) {
    auto& instruction = *computation.add_instructions();
    instruction.set_name(name);
    instruction.set_opcode(opcode);
    instruction.set_id(kHigh | id);
    for (int64_t operand : operands) instruction.add_operand_ids(kHigh | operand);
    auto& shape = *instruction.mutable_shape();
    shape.set_element_type(pb::F32);
    if (id != 1) shape.add_dimensions(2);
    return &instruction;
  };
  add("p", "parameter", 0, {});
  auto* one = add("one", "constant", 1, {});
  one->mutable_literal()->mutable_shape()->set_element_type(pb::F32);
  one->mutable_literal()->add_f32s(1);
  add("ones", "broadcast", 2, {1});
  add("sum", "add", 3, {0, 2});
  computation.set_root_id(kHigh | 3);
  return module;
}

const google::protobuf::UnknownFieldSet& unknownFields(const google::protobuf::Message& message) {
  return message.GetReflection()->GetUnknownFields(message);
}

std::vector<std::string> kinds(const Diagnostics& diagnostics) {
  std::vector<std::string> list;
  for (const Diagnostic& diagnostic : diagnostics) list.push_back(diagnostic.kind);
  return list;
}

TEST(ModuleProto, ReadsAModule) {
  auto proto = addOne();
  const auto [module, diagnostics] = readModule(proto);
  ASSERT_NE(module, nullptr);
  EXPECT_TRUE(diagnostics.empty()) << toString(diagnostics[0]);
  EXPECT_EQ(module->name(), "jit_f");
  ASSERT_NE(module->entry(), nullptr);
  const Instruction* root = module->entry()->root();
  EXPECT_EQ(root->name(), "sum");
  EXPECT_EQ(root->opcode(), Opcode::Add);
  EXPECT_EQ(root->operand(1)->name(), "ones");
  EXPECT_EQ(root->get<Attr::UniqueId>(), (int64_t{7} << 32) | 3);
  EXPECT_EQ(module->entry()->parameters().size(), 1u);
  EXPECT_EQ(module->entry()->find("one")->literal().data<float>()[0], 1.0f);
  EXPECT_TRUE(module->entry()->find("ones")->has(Attr::Dimensions));
  EXPECT_FALSE(root->has(Attr::UnknownFields));
}

TEST(ModuleProto, WritesIdsAsTheyWere) {
  auto proto = addOne();
  const auto read = readModule(proto);
  pb::HloModuleProto written;
  writeModule(*read.module, written);
  const auto original = addOne();
  EXPECT_EQ(written.id(), 12);
  EXPECT_EQ(written.entry_computation_id(), 7);
  ASSERT_EQ(written.computations_size(), 1);
  ASSERT_EQ(written.computations(0).instructions_size(), 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(written.computations(0).instructions(i).id(), original.computations(0).instructions(i).id());
  }
  EXPECT_EQ(written.computations(0).root_id(), (int64_t{7} << 32) | 3);
  EXPECT_EQ(written.host_program_shape().parameters_size(), 1);
}

TEST(ModuleProto, NewInstructionsGetIdsOfTheirOwn) {
  auto proto = addOne();
  const auto read = readModule(proto);
  Computation& entry = *read.module->entry();
  Instruction* root = entry.root();
  Instruction* made = entry.create(Opcode::Negate, root->shape(), {root});
  entry.setRoot(made);
  pb::HloModuleProto written;
  writeModule(*read.module, written);
  EXPECT_EQ(written.computations(0).root_id(), (int64_t{7} << 32) | 4);
}

TEST(ModuleProto, RecoveryTableAndDebugAttributesSurviveAndAreNamed) {
  auto proto = addOne();
  auto* entry = proto.mutable_original_value_recovery_table()->add_entries();
  entry->mutable_old_original_array()->set_instruction_name("p");
  *entry->mutable_recovery_module() = addOne();
  proto.add_debug_attributes()->add_debug_attributes()->set_op_id(3);
  auto original = proto;
  const auto [module, diagnostics] = readModule(proto);
  EXPECT_THAT(kinds(diagnostics), testing::ElementsAre("not-in-text"));
  EXPECT_EQ(diagnostics[0].severity, Severity::kWarning);
  pb::HloModuleProto written;
  writeModule(*module, written);
  EXPECT_EQ(written.original_value_recovery_table().SerializeAsString(),
            original.original_value_recovery_table().SerializeAsString());
  ASSERT_EQ(written.debug_attributes_size(), 1);
  EXPECT_EQ(written.debug_attributes(0).debug_attributes(0).op_id(), 3);
}

// It is an attribute of parameters and stands among the common ones too.
TEST(ModuleProto, ParameterReplicationIsWrittenOnce) {
  auto proto = addOne();
  proto.mutable_computations(0)
      ->mutable_instructions(0)
      ->mutable_parameter_replication()
      ->add_replicated_at_leaf_buffers(true);
  const auto [module, diagnostics] = readModule(proto);
  pb::HloModuleProto written;
  writeModule(*module, written);
  EXPECT_EQ(written.computations(0).instructions(0).parameter_replication().replicated_at_leaf_buffers_size(),
            1);
}

TEST(ModuleProto, UnknownFieldsSurviveOnEveryLevel) {
  auto proto = addOne();
  proto.GetReflection()->MutableUnknownFields(&proto)->AddVarint(3000, 1);
  auto& computation = *proto.mutable_computations(0);
  computation.GetReflection()->MutableUnknownFields(&computation)->AddVarint(3001, 2);
  auto& instruction = *computation.mutable_instructions(3);
  instruction.GetReflection()->MutableUnknownFields(&instruction)->AddLengthDelimited(3002, "new");
  proto.set_device_type("TPU");
  proto.set_is_dynamic(true);
  instruction.mutable_metadata()->mutable_profile_info()->set_relative_speedup(1.5);

  const auto read = readModule(proto);
  pb::HloModuleProto written;
  writeModule(*read.module, written);
  EXPECT_EQ(unknownFields(written).field_count(), 1);
  EXPECT_EQ(unknownFields(written.computations(0)).field_count(), 1);
  ASSERT_EQ(unknownFields(written.computations(0).instructions(3)).field_count(), 1);
  EXPECT_EQ(unknownFields(written.computations(0).instructions(3)).field(0).length_delimited(), "new");
  EXPECT_EQ(written.device_type(), "TPU");
  EXPECT_TRUE(written.is_dynamic());
  EXPECT_EQ(written.computations(0).instructions(3).metadata().profile_info().relative_speedup(), 1.5);
}

TEST(ModuleProto, TheScheduleIsTheOrder) {
  auto proto = addOne();
  auto& sequence = (*proto.mutable_schedule()->mutable_sequences())[7];
  for (int64_t id : {1, 2, 0, 3}) sequence.add_instruction_ids((int64_t{7} << 32) | id);
  const auto read = readModule(proto);
  EXPECT_TRUE(read.diagnostics.empty());
  EXPECT_TRUE(read.module->isScheduled());
  EXPECT_EQ(read.module->entry()->first()->name(), "one");
  pb::HloModuleProto written;
  writeModule(*read.module, written);
  const auto& ids = written.schedule().sequences().at(7).instruction_ids();
  EXPECT_EQ(std::vector<int64_t>(ids.begin(), ids.end()),
            (std::vector<int64_t>{(int64_t{7} << 32) | 1, (int64_t{7} << 32) | 2, int64_t{7} << 32,
                                  (int64_t{7} << 32) | 3}));
}

TEST(ModuleProto, BadSchedulesAreReportedAndLeftOut) {
  auto plain = addOne();
  const auto plainRead = readModule(plain);
  const std::string entry(plainRead.module->entry()->name());
  const std::pair<std::vector<int64_t>, std::string> wrong[] = {
      {{0, 1, 3, 2}, "is not scheduled after its operand"},
      {{0, 1, 2}, fmt::format("Schedule for computation {} has 3 instructions, expected 4", entry)},
      {{0, 1, 2, 3, 3}, "appears more than once in the schedule"},
      {{0, 1, 2, 9}, "the schedule names id 9, which is no instruction"}};
  for (const auto& [order, message] : wrong) {
    auto proto = addOne();
    auto& sequence = (*proto.mutable_schedule()->mutable_sequences())[7];
    for (int64_t id : order) sequence.add_instruction_ids(id);
    const auto read = readModule(proto);
    ASSERT_THAT(kinds(read.diagnostics), testing::ElementsAre("bad-schedule"));
    EXPECT_THAT(read.diagnostics[0].message, testing::HasSubstr(message));
    EXPECT_EQ(read.module->entry()->first()->name(), "p");
  }
}

TEST(ModuleProto, WrongInstructionsBecomeOpaqueAndAreNamed) {
  struct Case {
    const char* kind;
    void (*spoil)(pb::HloInstructionProto& add);
  };
  const Case cases[] = {
      {"missing-operand", [](auto& add) { add.set_operand_ids(1, 99); }},
      {"missing-operand", [](auto& add) { add.set_operand_ids(1, add.id()); }},  // a cycle
      {"operand-count", [](auto& add) { add.mutable_operand_ids()->RemoveLast(); }},
      {"missing-computation", [](auto& add) { add.add_called_computation_ids(3); }},
      {"called-computations",
       [](auto& add) { add.set_opcode("while"), add.mutable_operand_ids()->RemoveLast(); }},
      {"missing-shape", [](auto& add) { add.clear_shape(); }},
      {"bad-shape", [](auto& add) { add.mutable_shape()->set_dimensions(0, -5); }},
      {"bad-layout", [](auto& add) { add.mutable_shape()->mutable_layout()->add_minor_to_major(1); }},
      {"missing-opcode", [](auto& add) { add.clear_opcode(); }},
  };
  for (const Case& c : cases) {
    auto proto = addOne();
    c.spoil(*proto.mutable_computations(0)->mutable_instructions(3));
    const auto spoiled = proto;
    const auto read = readModule(proto);
    ASSERT_FALSE(read.diagnostics.empty()) << c.kind;
    EXPECT_EQ(read.diagnostics[0].kind, c.kind);
    EXPECT_EQ(read.diagnostics[0].place.instruction, "sum");
    EXPECT_EQ(read.diagnostics[0].place.computation, "main");
    EXPECT_EQ(read.module->entry()->root()->opcode(), Opcode::Opaque);
    pb::HloModuleProto written;
    writeModule(*read.module, written);
    EXPECT_EQ(written.computations(0).instructions(3).operand_ids_size(),
              spoiled.computations(0).instructions(3).operand_ids_size())
        << c.kind;
  }
}

TEST(ModuleProto, UnknownOpcodesStayWhatTheyAre) {
  auto proto = addOne();
  auto& add = *proto.mutable_computations(0)->mutable_instructions(3);
  add.set_opcode("quantum-add");
  add.add_dimensions(5);
  const auto read = readModule(proto);
  EXPECT_THAT(kinds(read.diagnostics), testing::ElementsAre("unknown-opcode"));
  EXPECT_EQ(read.diagnostics[0].severity, Severity::kWarning);
  EXPECT_EQ(read.module->entry()->root()->operandCount(), 2u);
  pb::HloModuleProto written;
  writeModule(*read.module, written);
  const auto& back = written.computations(0).instructions(3);
  EXPECT_EQ(back.opcode(), "quantum-add");
  EXPECT_EQ(back.dimensions(0), 5);
  EXPECT_EQ(back.operand_ids_size(), 2);
}

TEST(ModuleProto, BrokenModules) {
  pb::HloModuleProto empty;
  empty.set_name("m");
  const auto none = readModule(empty);
  EXPECT_EQ(none.module, nullptr);
  EXPECT_THAT(kinds(none.diagnostics), testing::ElementsAre("no-computations"));

  auto twice = addOne();
  twice.mutable_computations(0)->mutable_instructions(1)->set_id(int64_t{7} << 32);
  EXPECT_THAT(kinds(readModule(twice).diagnostics), testing::Contains("duplicate-id"));

  auto rootless = addOne();
  rootless.mutable_computations(0)->set_root_id(77);
  EXPECT_THAT(kinds(readModule(rootless).diagnostics), testing::ElementsAre("missing-root"));

  auto entryless = addOne();
  entryless.set_entry_computation_id(1);
  entryless.set_entry_computation_name("other");
  EXPECT_THAT(kinds(readModule(entryless).diagnostics), testing::ElementsAre("missing-entry"));

  auto parameters = addOne();
  parameters.mutable_computations(0)->mutable_instructions(0)->set_parameter_number(1 << 30);
  EXPECT_THAT(kinds(readModule(parameters).diagnostics), testing::ElementsAre("parameter-number"));
}

// Attributes that have no row of their own, each for a reason.
TEST(ModuleProto, EveryInstructionAttributeHasARow) {
  const std::vector<Attr> elsewhere = {Attr::OpaqueOpcode, Attr::UniqueId, Attr::UnknownFields, Attr::Opaque};
  for (int i = 0; i < kAttrCount; ++i) {
    const Attr attr = static_cast<Attr>(i);
    bool isInstructions = attr >= Attr::Sharding;
    for (int o = 0; o < kOpcodeCount; ++o) {
      const auto own = opcodeAttributes(static_cast<Opcode>(o));
      isInstructions |= std::ranges::find(own, attr) != own.end();
    }
    const bool isElsewhere = std::ranges::find(elsewhere, attr) != elsewhere.end();
    EXPECT_EQ(codecOf(attr) != nullptr, isInstructions && !isElsewhere) << attrName(attr);
  }
}

}  // namespace
}  // namespace hilo
