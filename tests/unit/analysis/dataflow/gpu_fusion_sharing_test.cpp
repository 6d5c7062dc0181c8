// Which operands a GPU fusion may write its outputs over: the properties XLA's
// gpu/alias_info_test.cc asserts.
#include "core/analysis/backend.h"
#include "core/analysis/dataflow/alias_rules.h"
#include "tests/unit/analysis/dataflow/dataflow_text.h"

namespace hilo {
namespace {

struct SharingCase {
  const char* name;
  const char* body;  // instructions of the fused computation, whose parameters are also the entry's
  const char* kind;
  // Pairs "operand->{output}", those that may be shared; all other pairs may not.
  const char* allowed;
};

const SharingCase kCases[] = {
    {"OneShape", "p = f32[2,3] parameter(0) n = f32[2,3] negate(p) ROOT m = f32[2,3] multiply(p, n)", "kLoop",
     "0->{}"},
    {"ViewOfTheResult", "p = f32[2,3] parameter(0) n = f32[2,3] negate(p) ROOT b = f32[6] bitcast(n)",
     "kLoop", "0->{}"},
    {"AnotherTypeOfOneWidth", "p = f32[2,3] parameter(0) ROOT c = s32[2,3] convert(p)", "kLoop", "0->{}"},
    {"AnotherTypeOfAnotherWidth", "p = f32[2,3] parameter(0) ROOT c = f16[2,3] convert(p)", "kLoop", ""},
    {"AnotherNumberOfElements", "p = f32[2,3] parameter(0) ROOT c = f16[2,3,2] bitcast-convert(p)", "kLoop",
     ""},
    {"ATransposeReadsAnotherOutputsInput",
     "p = f32[2,3]{1,0} parameter(0) q = f32[2,3]{1,0} parameter(1) n = f32[2,3]{1,0} negate(q) "
     "m = f32[2,3]{1,0} multiply(p, n) x = f32[3,2]{1,0} transpose(n), dimensions={1,0} "
     "ROOT t = (f32[2,3]{1,0}, f32[2,3]{1,0}, f32[3,2]{1,0}) tuple(m, n, x)",
     "kLoop", "0->{0}"},
    {"TwoOutputsInOneOrder",
     "p = f32[2,3] parameter(0) q = f32[2,3] parameter(1) n = f32[2,3] negate(q) m = f32[2,3] multiply(p, n) "
     "ROOT t = (f32[2,3], f32[2,3]) tuple(m, n)",
     "kLoop", "0->{0} 1->{0} 1->{1}"},
    {"AReductionHasReadAllBefore",
     "p = f32[3,40] parameter(0) q = f32[3,40] parameter(1) a = f32[3,40] add(p, q) b = f32[120] bitcast(a) "
     "z = f32[] constant(0) r = f32[] reduce(b, z), dimensions={0}, to_apply=sum ROOT t = (f32[], f32[3,40]) "
     "tuple(r, a)",
     "kLoop", "0->{1} 1->{1}"},
    {"AScatterIntoItsFirstOperand",
     "p = s32[3,3] parameter(0) i = s32[3] parameter(1) j = s32[3] add(i, i) u = s32[3,3] parameter(2) "
     "ROOT s = s32[3,3] scatter(p, j, u), to_apply=isum, update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1",
     "kInput", "0->{}"},
    {"AScatterOfWhatItAlsoReads",
     "p = s32[3,3] parameter(0) i = s32[3] parameter(1) u = s32[3,3] add(p, p) "
     "ROOT s = s32[3,3] scatter(p, i, u), to_apply=isum, update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1",
     "kInput", ""},
    {"AScatterOfOneOperandTwice",
     "p = s32[3,3] parameter(0) i = s32[3] parameter(1) "
     "ROOT s = s32[3,3] scatter(p, i, p), to_apply=isum, update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1",
     "kInput", ""},
    {"ASortIntoItsOwnOperands",
     "p = s32[64] parameter(0) q = s32[64] parameter(1) ROOT s = (s32[64], s32[64]) sort(p, q), "
     "dimensions={0}, to_apply=less2",
     "kInput", "0->{0} 1->{1}"},
    {"ASortOfOneOperandTwice",
     "p = s32[64] parameter(0) ROOT s = (s32[64], s32[64]) sort(p, p), dimensions={0}, to_apply=less2",
     "kInput", ""},
    {"ACopyIsNoElementwiseStep",
     "p = f32[2,3]{1,0} parameter(0) n = f32[2,3]{1,0} negate(p) ROOT c = f32[2,3]{0,1} copy(n)", "kInput",
     ""},
    {"ATransposeIsNone",
     "p = f32[2,2] parameter(0) n = f32[2,2] negate(p) ROOT x = f32[2,2] transpose(n), dimensions={1,0}",
     "kInput", ""},
    {"AReductionThatIsSpreadAgain",
     "p = f32[2,4] parameter(0) z = f32[] constant(0) r = f32[2] reduce(p, z), dimensions={1}, to_apply=sum "
     "b = f32[2,4] broadcast(r), dimensions={0} ROOT a = f32[2,4] add(b, p)",
     "kLoop", ""},
    {"TheSliceThatIsUpdated",
     "p = f32[8] parameter(0) i = s32[] parameter(1) d = f32[2] dynamic-slice(p, i), dynamic_slice_sizes={2} "
     "n = f32[2] negate(d) ROOT u = f32[8] dynamic-update-slice(p, n, i)",
     "kLoop", "0->{}"},
    {"AnotherSliceThanIsUpdated",
     "p = f32[8] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2) "
     "d = f32[2] dynamic-slice(p, i), dynamic_slice_sizes={2} n = f32[2] negate(d) "
     "ROOT u = f32[8] dynamic-update-slice(p, n, j)",
     "kLoop", ""},
    {"SlicesOfOneElement",
     "p = f32[8] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2) "
     "d = f32[1] dynamic-slice(p, i), dynamic_slice_sizes={1} n = f32[1] negate(d) "
     "ROOT u = f32[8] dynamic-update-slice(p, n, j)",
     "kLoop", "0->{}"},
    {"AnUpdateBesideAnotherReader",
     "p = f32[8] parameter(0) i = s32[] parameter(1) d = f32[2] dynamic-slice(p, i), dynamic_slice_sizes={2} "
     "m = f32[2] negate(d) u = f32[8] dynamic-update-slice(p, m, i) n = f32[8] negate(p) "
     "ROOT t = (f32[8], f32[8]) tuple(u, n)",
     "kLoop", ""},
    {"AScatterBesideAnotherReader",
     "p = s32[3,3] parameter(0) i = s32[3] parameter(1) u = s32[3,3] parameter(2) a = s32[3,3] add(p, p) "
     "s = s32[3,3] scatter(p, i, u), to_apply=isum, update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1 ROOT t = (s32[3,3], s32[3,3]) tuple(s, a)",
     "kInput", ""},
    {"ASliceOfAnotherSize",
     "p = f32[8] parameter(0) i = s32[] parameter(1) v = f32[2] parameter(2) "
     "d = f32[4] dynamic-slice(p, i), dynamic_slice_sizes={4} z = f32[2] slice(d), slice={[0:2]} n = f32[2] "
     "add(z, v) "
     "ROOT u = f32[8] dynamic-update-slice(p, n, i)",
     "kLoop", ""},
    {"AnUnknownCallInside",
     "p = f32[8] parameter(0) n = f32[8] negate(p) ROOT c = f32[8] custom-call(n), custom_call_target=\"f\"",
     "kCustom", ""},
};

std::string moduleOf(const SharingCase& row) {
  std::string text = R"(HloModule m
sum { sx = f32[] parameter(0) sy = f32[] parameter(1) ROOT ss = f32[] add(sx, sy) }
isum { ix = s32[] parameter(0) iy = s32[] parameter(1) ROOT is = s32[] add(ix, iy) }
less2 { l0 = s32[] parameter(0) l1 = s32[] parameter(1) l2 = s32[] parameter(2) l3 = s32[] parameter(3) ROOT lt = pred[] compare(l0, l1), direction=LT }
)";
  return text + "ENTRY fused { " + row.body + " }";
}

// The fused computation parsed alone, then put into a module whose entry is the fusion.
class GpuFusionSharing : public testing::TestWithParam<SharingCase> {};

TEST_P(GpuFusionSharing, IsXlas) {
  const auto module = parsed(moduleOf(GetParam()));
  Computation& body = *module->entry();
  Computation* entry = module->createComputation("main");
  std::vector<Instruction*> operands;
  for (const Instruction* parameter : body.parameters())
    operands.push_back(entry->createParameter(parameter->parameterNumber(), parameter->shape()));
  Instruction* fusion = entry->create(Opcode::Fusion, body.root()->shape(), operands);
  fusion->set<Attr::Calls>(&body);
  const std::string_view kind = GetParam().kind;
  fusion->set<Attr::FusionKindKind>(kind == "kLoop"    ? FusionKind::Loop
                                    : kind == "kInput" ? FusionKind::Input
                                                       : FusionKind::Custom);
  entry->setRoot(fusion);
  module->setEntry(entry);
  std::vector<std::string> allowed;
  const SubshapeTable table(fusion->shape());
  for (const Instruction* operand : operands) {
    for (const SubshapeTable::Part& part : table.parts()) {
      if (part.shape.isTuple()) continue;
      if (backendMayShare(*operand, {}, *fusion, part.index, Backend::Gpu) == std::optional(true))
        allowed.push_back(fmt::format("{}->{}", operand->parameterNumber(), toString(part.index)));
    }
  }
  EXPECT_EQ(fmt::format("{}", fmt::join(allowed, " ")), GetParam().allowed);
}

INSTANTIATE_TEST_SUITE_P(All, GpuFusionSharing, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hilo
