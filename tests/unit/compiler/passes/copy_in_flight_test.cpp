// Copies around what is in flight when a turn of a loop ends, and around pinned b(...) values.
#include "tests/unit/compiler/passes/copy_expectations.h"

namespace hilo {
namespace {

class CopyInFlight : public CopyExpectations {};
TEST_P(CopyInFlight, AreWhereXlaHasThem) { run(); }

#define CTX "(f32[7], u32[], token[])"
#define FOREVER(state) "test { q = " state " parameter(0) ROOT yes = pred[] constant(true) }\n"
#define PIN(name, of)                 \
  name " = b(f32[7]) custom-call(" of \
       "), custom_call_target=\"Pin\", output_to_operand_aliasing={{}: (0, {})} "
#define UNPIN(name, of)            \
  name " = f32[7] custom-call(" of \
       "), custom_call_target=\"Unpin\", output_to_operand_aliasing={{}: (0, {})} "
#define TOUCH(name, of)               \
  name " = b(f32[7]) custom-call(" of \
       "), custom_call_target=\"touch\", output_to_operand_aliasing={{}: (0, {})} "
// Takes a pinned value and gives it back in its place beside a new value.
#define STEP(name, operands, n)                                                                       \
  name " = (b(f32[7]), f32[7], token[]) custom-call(" operands                                        \
       "), custom_call_target=\"step\", "                                                             \
       "output_to_operand_aliasing={{0}: (" n ", {})} " name "_b = b(f32[7]) get-tuple-element(" name \
       "), index=0 " name "_v = f32[7] get-tuple-element(" name "), index=1 "

const CopyExpectation kRows[] = {
    {"PartiallyPipelinedAsyncRecv", "total=0 edges:turn=1 rd<r",
     "HloModule m, num_partitions=4\n"
     "turn { p = (" CTX ") parameter(0) c = " CTX
     " get-tuple-element(p), index=0 rd = (f32[7], token[]) recv-done(c), channel_id=1 k = token[] "
     "after-all() r = " CTX " recv(k), channel_id=1 ROOT t = (" CTX ") tuple(r) }\n" FOREVER(
         "(" CTX ")") "ENTRY e { k = token[] after-all() er = " CTX " recv(k), channel_id=1 t = (" CTX
                      ") tuple(er) w = (" CTX ") while(t), condition=test, body=turn c = " CTX
                      " get-tuple-element(w), index=0 ed = (f32[7], token[]) recv-done(c), channel_id=1 ROOT "
                      "o = f32[7] get-tuple-element(ed), index=0 }",
     false},
    {"PartiallyPipelinedAsyncRecvMultipleUses",
     "total=2 turn=1 edges:turn=2 rd<r root:turn.1=copy root:turn.1<r",
     "HloModule m, num_partitions=4\n"
     "turn { p = (" CTX ", f32[7]) parameter(0) c = " CTX
     " get-tuple-element(p), index=0 rd = (f32[7], token[]) recv-done(c), channel_id=1 g = f32[7] "
     "get-tuple-element(rd), index=0 k = token[] after-all() r = " CTX " recv(k), channel_id=1 ROOT t = (" CTX
     ", f32[7]) tuple(r, g) }\n" FOREVER(
         "(" CTX ", f32[7])") "ENTRY e { x = f32[7] parameter(0) k = token[] after-all() er = " CTX
                              " recv(k), channel_id=1 t = (" CTX ", f32[7]) tuple(er, x) w = (" CTX
                              ", f32[7]) while(t), condition=test, body=turn c = " CTX
                              " get-tuple-element(w), index=0 ed = (f32[7], token[]) recv-done(c), "
                              "channel_id=1 ROOT o = f32[7] get-tuple-element(ed), index=0 }",
     false},
    {"PartiallyPipelinedAsyncSendMultipleUses", "total=2 turn=1 s.0=copy sd<s.0 es.0=copy edges:e=0",
     "HloModule m, num_partitions=4\n"
     "turn { p = (" CTX ", f32[7]) parameter(0) c = " CTX
     " get-tuple-element(p), index=0 x = f32[7] get-tuple-element(p), index=1 sd = token[] send-done(c), "
     "channel_id=1 k = token[] after-all() s = " CTX " send(x, k), channel_id=1 ROOT t = (" CTX
     ", f32[7]) tuple(s, x) }\n" FOREVER(
         "(" CTX ", f32[7])") "ENTRY e { a = f32[7] parameter(0) x = f32[7] add(a, a) k = token[] "
                              "after-all() es = " CTX " send(x, k), channel_id=1 t = (" CTX
                              ", f32[7]) tuple(es, x) w = (" CTX
                              ", f32[7]) while(t), condition=test, body=turn c = " CTX
                              " get-tuple-element(w), index=0 ed = token[] send-done(c), channel_id=1 ROOT o "
                              "= f32[7] get-tuple-element(w), index=1 }",
     false},
    {"NonCopyableOneChainOutsideWhileLoop", "total=1 pin.0=copy",
     "HloModule m\n"
     "ENTRY e { x = f32[7] parameter(0) y = f32[7] parameter(1) a = f32[7] add(x, y) b = f32[7] add(y, "
     "y) " PIN("pin", "a") STEP("c", "pin, b", "0")
         UNPIN("u", "c_b") "d = f32[7] add(a, b), control-predecessors={pin} ROOT s = f32[7] add(d, u) }",
     false},
    {"NonCopyableOneChainPartiallyInsideWhileLoop", "total=1 pin.0=copy",
     "HloModule m\n"
     "turn { p = (b(f32[7]), f32[7]) parameter(0) x = b(f32[7]) get-tuple-element(p), index=0 " TOUCH("c0",
                                                                                                      "x")
         TOUCH("c1", "c0") "y = f32[7] get-tuple-element(p), index=1 d = f32[7] add(y, y) ROOT t = "
                           "(b(f32[7]), f32[7]) tuple(c1, d) }\n" FOREVER(
                               "(b(f32[7]), f32[7])") "ENTRY e { x = f32[7] parameter(0) a = f32[7] add(x, "
                                                      "x) b = f32[7] add(x, x) " PIN(
                                                          "pin", "a") "t = (b(f32[7]), "
                                                                      "f32[7]) "
                                                                      "tuple(pin, b) w = "
                                                                      "(b(f32[7]), "
                                                                      "f32[7]) while(t), "
                                                                      "condition=test, "
                                                                      "body=turn "
                                                                      "m = b(f32[7]) "
                                                                      "get-tuple-element("
                                                                      "w), "
                                                                      "index=0 " UNPIN("u", "m") "n = "
                                                                                                 "f32[7] "
                                                                                                 "get-"
                                                                                                 "tuple-"
                                                                                                 "element("
                                                                                                 "w), "
                                                                                                 "index=1 "
                                                                                                 "s = "
                                                                                                 "f32[7] "
                                                                                                 "add(u, "
                                                                                                 "n) ROOT "
                                                                                                 "r = "
                                                                                                 "f32[7] "
                                                                                                 "add(s, "
                                                                                                 "a) }",
     false},
    {"NonCopyableChainPipelinedConnectedParts", "total=1 pin.0=copy",
     "HloModule m\n"
     "turn { p = (b(f32[7]), f32[7]) parameter(0) x = b(f32[7]) get-tuple-element(p), index=0 y = f32[7] "
     "get-tuple-element(p), index=1 y2 = f32[7] add(y, y) " STEP(
         "c0", "x, y2",
         "0") "d2 = f32[7] add(y, c0_v) " STEP("c1", "c0_b, d2",
                                               "0") "d4 = f32[7] add(c1_v, y) ROOT t = (b(f32[7]), "
                                                    "f32[7]) tuple(c1_b, d4) }\n" FOREVER(
                                                        "(b(f32[7]"
                                                        "), "
                                                        "f32[7])") "ENTRY e { x = f32[7] parameter(0) y = "
                                                                   "f32[7] parameter(1) a = f32[7] add(x, y) "
                                                                   "b = f32[7] add(y, y) " PIN("pin", "a")
                                                                       STEP(
                                                                           "c", "pin, b",
                                                                           "0") "t = (b(f32[7]), f32[7]) "
                                                                                "tuple(c_b, c_v) w = "
                                                                                "(b(f32[7]), "
                                                                                "f32[7]) while(t), "
                                                                                "condition=test, "
                                                                                "body=turn "
                                                                                "m = b(f32[7]) "
                                                                                "get-tuple-element(w), "
                                                                                "index=0 n = "
                                                                                "f32[7] "
                                                                                "get-tuple-element(w), "
                                                                                "index=1 " STEP("z", "m", "0")
                                                                                    UNPIN("v",
                                                                                          "z_b") "g = f32[7] "
                                                                                                 "add(a, "
                                                                                                 "n) h = "
                                                                                                 "f32[7] "
                                                                                                 "add(b, v) "
                                                                                                 "ROOT r = "
                                                                                                 "(f32[7], "
                                                                                                 "f32[7]) "
                                                                                                 "tuple(g, "
                                                                                                 "h) }",
     false},
};

INSTANTIATE_TEST_SUITE_P(All, CopyInFlight, testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hilo
