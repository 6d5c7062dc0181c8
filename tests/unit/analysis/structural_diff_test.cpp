// What XLA's hlo/tools/hlo_diff expects of its matchers (exact_subgraph, top_down, bottom_up, hlo_call_graph,
// hlo_computation_graph and hlo_diff_result tests), on modules of our own with other names on either side:
// here names are l.* before and r.* after, and what is expected is said as pairs of the parts behind.
//
// Where Hilo says more than hlo_diff: an instruction that took the place of another is that one with another
// opcode (there: one unmatched on either side), and another order of operands is a change.

#include <gtest/gtest.h>

#include <map>

#include "core/analysis/diff/module_diff.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

struct Case {
  const char* what;
  const char* before;
  const char* after;
  const char* expected;  // differences, as differencesOf() writes them
};

std::unique_ptr<Module> parsed(std::string body) {
  auto module = parseModuleStrictly("HloModule m\n" + body);
  EXPECT_TRUE(module) << toString(module.error()) << body;
  return std::move(*module);
}

std::string part(std::string_view name) { return std::string(name.substr(name.find('.') + 1)); }

// "+x" added, "-x" removed, "x: shape" changed, "x>y" for partners of different names; in after's order.
std::string differencesOf(const Module& before, const Module& after) {
  const StepDiff diff = diffModules(before, after);
  std::map<uint32_t, std::string> what;
  std::string text;
  const auto add = [&](const std::string& entry) { text += (text.empty() ? "" : " ") + entry; };
  for (const InstructionChange& change : diff.changes) {
    if (change.kind == ChangeKind::Removed) add("-" + part(change.name));
    if (change.after.valid()) what[change.after.value] = change.what;
  }
  for (const Computation* c : after.computations()) {
    for (const Instruction* i : c->instructions()) {
      const Instruction* partner = before.instruction(diff.partnerAfter[i->id().value]);
      std::string name = part(i->name());
      if (partner == nullptr) {
        add("+" + name);
        continue;
      }
      const bool renamed = part(partner->name()) != name;
      if (renamed) name = part(partner->name()) + ">" + name;
      const std::string& changed = what[i->id().value];
      if (renamed || !changed.empty()) add(changed.empty() ? name : name + ":" + changed);
    }
  }
  return text;
}

const Case kCases[] = {
    {"exact_subgraph: another operation at the root",
     "ENTRY l { l.p = f32[8] parameter(0) l.c = f32[8] constant({...}) l.q = f32[8] parameter(1)\n"
     " l.a = f32[8] add(l.p, l.c)\n ROOT l.b = f32[8] add(l.a, l.q) }",
     "ENTRY r { r.p = f32[8] parameter(0) r.c = f32[8] constant({...}) r.q = f32[8] parameter(1)\n"
     " r.a = f32[8] add(r.p, r.c)\n ROOT r.s = f32[8] subtract(r.a, r.q) }",
     "b>s:opcode"},
    {"exact_subgraph: a leaf is another thing",
     "ENTRY l { l.p = f32[8] parameter(0) l.q = f32[8] parameter(1)\n l.a = f32[8] add(l.p, l.p)\n"
     " ROOT l.b = f32[8] add(l.a, l.q) }",
     "ENTRY r { r.p = f32[8] parameter(0) r.c = f32[8] constant(1)\n r.a = f32[8] add(r.p, r.p)\n"
     " ROOT r.b = f32[8] add(r.a, r.c) }",
     "-q +c b:operands"},
    {"top_down and bottom_up: one operation in the middle",
     "ENTRY l { l.c = f32[] constant(0) l.d = f32[] constant(1)\n l.a = f32[] add(l.c, l.d)\n"
     " l.s = f32[] subtract(l.d, l.c)\n l.e = f32[] add(l.a, l.s)\n ROOT l.f = f32[] add(l.e, l.c) }",
     "ENTRY r { r.c = f32[] constant(0) r.d = f32[] constant(1)\n r.a = f32[] add(r.c, r.d)\n"
     " r.s = f32[] multiply(r.d, r.c)\n r.e = f32[] add(r.a, r.s)\n ROOT r.f = f32[] add(r.e, r.c) }",
     "s:opcode"},
    {"top_down: operands that came along",
     "ENTRY l { l.p = f32[] parameter(0)\n l.a = f32[] negate(l.p)\n ROOT l.f = f32[] add(l.a, l.p) }",
     "ENTRY r { r.p = f32[] parameter(0)\n r.a = f32[] negate(r.p)\n r.n = f32[] sine(r.p)\n"
     " r.m = f32[] multiply(r.n, r.p)\n ROOT r.f = f32[] add(r.a, r.m) }",
     "+n +m f:operands"},
    {"hlo_call_graph: equal called computations",
     "l.f { l.x = s32[8] parameter(0) ROOT l.y = s32[8] negate(l.x) }\n"
     "ENTRY l { l.p = s32[8] parameter(0)\n ROOT l.k = s32[8] fusion(l.p), kind=kLoop, calls=l.f }",
     "r.g { r.x = s32[8] parameter(0) ROOT r.y = s32[8] negate(r.x) }\n"
     "ENTRY r { r.p = s32[8] parameter(0)\n ROOT r.k = s32[8] fusion(r.p), kind=kLoop, calls=r.g }",
     ""},
    {"hlo_call_graph: one of two equal fusions is gone",
     "l.f { l.x = s32[8] parameter(0) ROOT l.y = s32[8] negate(l.x) }\n"
     "l.g { l.u = s32[8] parameter(0) ROOT l.v = s32[8] negate(l.u) }\n"
     "ENTRY l { l.p = s32[8] parameter(0)\n l.k = s32[8] fusion(l.p), kind=kLoop, calls=l.f\n"
     " l.m = s32[8] fusion(l.p), kind=kLoop, calls=l.g\n ROOT l.a = s32[8] add(l.k, l.m) }",
     "r.f { r.x = s32[8] parameter(0) ROOT r.y = s32[8] negate(r.x) }\n"
     "ENTRY r { r.p = s32[8] parameter(0)\n ROOT r.k = s32[8] fusion(r.p), kind=kLoop, calls=r.f }",
     "-u -v -m -a k:root"},
    {"hlo_call_graph: equal loops told apart by op_name",
     "l.b { l.x = s32[2] parameter(0) ROOT l.y = s32[2] negate(l.x) }\n"
     "l.c { l.z = s32[2] parameter(0) ROOT l.t = pred[] constant(true) }\n"
     "ENTRY l { l.k = s32[2] constant({0,0})\n"
     " l.v = s32[2] while(l.k), condition=l.c, body=l.b\n"
     " l.w = s32[2] while(l.k), condition=l.c, body=l.b, metadata={op_name=\"acts\"}\n"
     " ROOT l.a = s32[2] add(l.v, l.w) }",
     "r.b { r.x = s32[2] parameter(0) ROOT r.y = s32[2] negate(r.x) }\n"
     "r.c { r.z = s32[2] parameter(0) ROOT r.t = pred[] constant(true) }\n"
     "ENTRY r { r.k = s32[2] constant({0,0})\n"
     " r.v = s32[2] while(r.k), condition=r.c, body=r.b, metadata={op_name=\"acts\"}\n"
     " r.w = s32[2] while(r.k), condition=r.c, body=r.b\n ROOT r.a = s32[2] add(r.v, r.w) }",
     "w>v v>w a:operand order"},
    {"hlo_call_graph: changed called computations, callers told apart by op_name",
     "l.f { l.x = s32[8] parameter(0) ROOT l.y = s32[8] negate(l.x) }\n"
     "l.g { l.u = s32[8] parameter(0) ROOT l.v = s32[8] negate(l.u) }\n"
     "ENTRY l { l.p = s32[8] parameter(0)\n l.k = s32[8] fusion(l.p), kind=kLoop, calls=l.f\n"
     " l.m = s32[8] fusion(l.p), kind=kLoop, calls=l.g, metadata={op_name=\"second\"}\n"
     " ROOT l.a = (s32[8], s32[8]) tuple(l.k, l.m) }",
     "r.g { r.u = s32[8] parameter(0) ROOT r.v = s32[8] abs(r.u) }\n"
     "r.f { r.x = s32[8] parameter(0) ROOT r.y = s32[8] abs(r.x) }\n"
     "ENTRY r { r.p = s32[8] parameter(0)\n"
     " r.m = s32[8] fusion(r.p), kind=kLoop, calls=r.g, metadata={op_name=\"second\"}\n"
     " r.k = s32[8] fusion(r.p), kind=kLoop, calls=r.f\n ROOT r.a = (s32[8], s32[8]) tuple(r.k, r.m) }",
     "v:opcode y:opcode"},
    {"hlo_computation_graph: a parameter and a constant of other sizes",
     "ENTRY l { l.p = bf16[2] parameter(0), metadata={op_name=\"first\"} l.c = bf16[2] constant({1, 2})\n"
     " ROOT l.a = bf16[2] add(l.p, l.c) }",
     "ENTRY r { r.p = bf16[3] parameter(0), metadata={op_name=\"first.new\"} r.c = bf16[3] constant({1, 2, "
     "3})\n"
     " ROOT r.a = bf16[3] add(r.p, r.c) }",
     "p:shape, metadata c:shape, literal a:shape"},
    {"hlo_computation_graph: parameters that came between others",
     "ENTRY l { l.p = f32[10] parameter(0), metadata={op_name=\"one\"} l.q = f32[20] parameter(1)\n"
     " l.s = f32[30] parameter(2)\n ROOT l.t = (f32[10], f32[20], f32[30]) tuple(l.p, l.q, l.s) }",
     "ENTRY r { r.n = f32[10] parameter(0), metadata={op_name=\"new\"}\n"
     " r.p = f32[10] parameter(1), metadata={op_name=\"one\"} r.m = f32[7] parameter(2)\n"
     " r.q = f32[20] parameter(3) r.s = f32[30] parameter(4)\n"
     " ROOT r.t = (f32[10], f32[20], f32[30]) tuple(r.p, r.q, r.s) }",
     "+n +m"},
    {"hlo_computation_graph: constants and other leaves",
     "ENTRY l { l.a = f32[2] constant({1, 2}) l.b = f32[2] constant({1, 2}) l.c = f32[2] constant({5, 6})\n"
     " l.i = f32[2] iota(), iota_dimension=0\n l.s = f32[2] add(l.a, l.c)\n l.u = f32[2] add(l.b, l.i)\n"
     " ROOT l.t = (f32[2], f32[2]) tuple(l.s, l.u) }",
     "ENTRY r { r.c = f32[2] constant({5, 6}) r.a = f32[2] constant({1, 2}) r.b = f32[2] constant({1, 2})\n"
     " r.i = f32[2] iota(), iota_dimension=0\n r.s = f32[2] add(r.a, r.c)\n r.u = f32[2] add(r.b, r.i)\n"
     " ROOT r.t = (f32[2], f32[2]) tuple(r.s, r.u) }",
     ""},
    {"hlo_diff_result: another element type",
     "ENTRY l { l.p = f32[] parameter(0) l.q = f32[] parameter(1)\n ROOT l.a = f32[] add(l.q, l.q) }",
     "ENTRY r { r.p = f64[] parameter(0) r.q = f32[] parameter(1)\n ROOT r.a = f32[] add(r.q, r.q) }",
     "p:shape"},
    {"hlo_diff_result: constants whose values are left out",
     "ENTRY l { l.p = s32[301] parameter(0) l.c = s32[301] constant({...})\n"
     " ROOT l.a = s32[301] add(l.p, l.c) }",
     "ENTRY r { r.p = s32[301] parameter(0) r.c = s32[301] constant({...})\n"
     " ROOT r.a = s32[301] add(r.p, r.c) }",
     ""},
    {"hlo_diff_summary: operands the other way round",
     "ENTRY l { l.p = f32[] parameter(0) l.q = f32[] parameter(1)\n ROOT l.a = f32[] subtract(l.p, l.q) }",
     "ENTRY r { r.p = f32[] parameter(0) r.q = f32[] parameter(1)\n ROOT r.a = f32[] subtract(r.q, r.p) }",
     "a:operand order"},
};

TEST(StructuralDiff, AsHloDiffExpects) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(differencesOf(*parsed(c.before), *parsed(c.after)), c.expected);
  }
}

}  // namespace
}  // namespace hilo
