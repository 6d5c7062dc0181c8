// Factors by LAPACK's conventions, computed by hand.
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

std::string call(const std::string& target, const std::string& result, const std::string& shape,
                 const std::string& config = "{}") {
  return "a = " + shape + " parameter(0)\nROOT c = " + result + " custom-call(a), custom_call_target=\"" +
         target + "\", api_version=API_VERSION_TYPED_FFI, backend_config=" + config;
}

// Rows 1 and 2 change places: [[4,2],[2,3]], of which the second loses half the first.
TEST(Factors, LuWithPivots) {
  for (const char* target : {"cusolver_getrf_ffi", "lapack_dgetrf_ffi"}) {
    expectEval(call(target, "(f64[2,2], s32[2], s32[])", "f64[2,2]"), {"f64[2,2] {{2,3},{4,2}}"},
               {"f64[2,2] {{4,2},{0.5,2}}", "s32[2] {2,2}", "s32[] 0"});
  }
}

TEST(Factors, LuOfManyOfAnyShape) {
  // The second has no pivot in its first column; rows than columns, and the other way.
  expectEval(
      call("cusolver_getrf_ffi", "(f32[2,2,3], s32[2,2], s32[2])", "f32[2,2,3]"),
      {"f32[2,2,3] {{{1,2,4},{-2,0,2}},{{0,1,1},{0,1,2}}}"},
      {"f32[2,2,3] {{{-2,0,2},{-0.5,2,5}},{{0,1,1},{0,1,2}}}", "s32[2,2] {{2,2},{1,2}}", "s32[2] {0,1}"});
  expectEval(call("cusolver_getrf_ffi", "(f32[3,1], s32[1], s32[])", "f32[3,1]"), {"f32[3,1] {{1},{2},{4}}"},
             {"f32[3,1] {{4},{0.5},{0.25}}", "s32[1] {3}", "s32[] 0"});
}

// 2i is larger than 1: the second row is the first, and 1 / 2i = -i/2.
TEST(Factors, LuOfComplexNumbers) {
  expectEval(call("lapack_zgetrf_ffi", "(c128[2,1], s32[1], s32[])", "c128[2,1]"),
             {"c128[2,1] {{(1,0)},{(0,2)}}"}, {"c128[2,1] {{(0,2)},{(0,-0.5)}}", "s32[1] {2}", "s32[] 0"});
}

// 0 with 2, then 1 with 2: (2,1,0) then (2,0,1).
TEST(Factors, PivotsAsAPermutation) {
  expectEval(call("cu_lu_pivots_to_permutation", "s32[2,3]", "s32[2,2]"), {"s32[2,2] {{2,2},{0,1}}"},
             {"s32[2,3] {{2,0,1},{0,1,2}}"});
}

// (3,4) is reflected onto (-5,0): tau = 8/5, v = (1, 4/8).
TEST(Factors, QrOfOneColumn) {
  expectNear(call("lapack_dgeqrf_ffi", "(f64[2,1], f64[1])", "f64[2,1]"), {"f64[2,1] {{3},{4}}"}, {-5, 0.5},
             1e-14);
  expectNear(call("lapack_dgeqrf_ffi", "(f64[2,1], f64[1])", "f64[2,1]"), {"f64[2,1] {{3},{4}}"}, {1.6},
             1e-14, 1);
}

// What is below is zero already: nothing is reflected.
TEST(Factors, QrOfATriangleIsItself) {
  expectEval(call("cusolver_geqrf_ffi", "(f32[2,2], f32[2])", "f32[2,2]"), {"f32[2,2] {{-2,3},{0,5}}"},
             {"f32[2,2] {{-2,3},{0,5}}", "f32[2] {0,0}"});
}

// Q times R is A, and Q's columns are orthonormal: their products are computed beside them.
TEST(Factors, ColumnsOfQ) {
  const std::string text = R"(a = c128[3,2] parameter(0)
f = (c128[3,2], c128[2]) custom-call(a), custom_call_target="cusolver_geqrf_ffi"
r = c128[3,2] get-tuple-element(f), index=0
tau = c128[2] get-tuple-element(f), index=1
q = c128[3,2] custom-call(r, tau), custom_call_target="cusolver_orgqr_ffi"
re = f64[3,2] real(q)
im = f64[3,2] imag(q)
minus = f64[3,2] negate(im)
bar = c128[3,2] complex(re, minus)
top = c128[2,2] slice(r), slice={[0:2], [0:2]}
i = s32[2,2] iota(), iota_dimension=0
j = s32[2,2] iota(), iota_dimension=1
up = pred[2,2] compare(i, j), direction=LE
z = c128[] constant((0, 0))
zs = c128[2,2] broadcast(z), dimensions={}
upper = c128[2,2] select(up, top, zs)
qq = c128[2,2] dot(bar, q), lhs_contracting_dims={0}, rhs_contracting_dims={0}
qr = c128[3,2] dot(q, upper), lhs_contracting_dims={1}, rhs_contracting_dims={0}
d = c128[3,2] subtract(qr, a)
dr = f64[3,2] abs(d)
one = f64[2,2] real(qq)
ROOT t = (f64[3,2], f64[2,2]) tuple(dr, one))";
  const std::string a = "c128[3,2] {{(1,2),(0,1)},{(-1,0),(3,-1)},{(2,0.5),(1,1)}}";
  expectNear(text, {a}, {0, 0, 0, 0, 0, 0}, 1e-14, 0);
  expectNear(text, {a}, {1, 0, 0, 1}, 1e-14, 1);
}

TEST(Factors, CholeskyAndTriangularSystemsByLetters) {
  expectEval(call("lapack_spotrf_ffi", "(f32[2,2], s32[])", "f32[2,2]", "{uplo = 76 : ui8}"),
             {"f32[2,2] {{4,2},{2,5}}"}, {"f32[2,2] {{2,0},{1,2}}", "s32[] 0"});
  // [[1,2],[3,4]] [[2,0],[1,4]]^T = [[2,9],[6,19]].
  expectEval(
      "a = f64[2,2] parameter(0)\nb = f64[2,2] parameter(1)\nROOT c = f64[2,2] custom-call(a, b), "
      "custom_call_target=\"lapack_dtrsm_ffi\", api_version=API_VERSION_TYPED_FFI, "
      "backend_config={diag = 78 : ui8, side = 82 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}",
      {"f64[2,2] {{2,0},{1,4}}", "f64[2,2] {{2,9},{6,19}}"}, {"f64[2,2] {{1,2},{3,4}}"});
}

TEST(Factors, RefusesByName) {
  EXPECT_EQ(errorKind(call("cusolver_getrf_ffi", "(s32[2,2], s32[2], s32[])", "s32[2,2]"),
                      {"s32[2,2] {{1,2},{3,4}}"}),
            "unsupported-opcode");
  EXPECT_EQ(
      errorKind(call("lapack_sgeqrf_ffi", "(f32[2,3], f32[2])", "f32[2,2]"), {"f32[2,2] {{1,2},{3,4}}"}),
      "malformed-instruction");
}

}  // namespace
}  // namespace hilo
