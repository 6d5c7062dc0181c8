#include <llvm/ADT/StringMap.h>

#include "plugins/stablehlo/conversions.h"
#include "plugins/stablehlo/layouts.h"
#include "plugins/stablehlo/op_row.h"
#include "plugins/stablehlo/vhlo.h"

namespace hilo::stablehlo {
namespace {

using enum Form;
using enum TypeTail;

// StableHLO, MHLO and CHLO (and VHLO's without their version).
constexpr OpRow kOps[] = {
    // Elementwise.
    {"abs", convertPlain, "abs"},
    {"acos", convertPlain, "acos"},
    {"acosh", convertPlain, "acosh"},
    {"add", convertPlain, "add"},
    {"and", convertPlain, "and"},
    {"asin", convertPlain, "asin"},
    {"asinh", convertPlain, "asinh"},
    {"atan2", convertPlain, "atan2"},
    {"atanh", convertPlain, "atanh"},
    {"bitcast", convertBitcast, "bitcast"},
    {"bitcast_convert", convertBitcastConvert, "bitcast-convert"},
    {"cbrt", convertCbrt, "cbrt"},
    {"ceil", convertPlain, "ceil"},
    {"complex", convertPlain, "complex", Items, Complex},
    {"convert", convertConvert, "convert"},
    {"copy", convertPlain, "copy"},
    {"cosh", convertCosh, "cosh"},
    {"cosine", convertTranscendental, "cosine"},
    {"count_leading_zeros", convertPlain, "count-leading-zeros"},
    {"divide", convertPlain, "divide"},
    {"erf", convertPlain, "erf"},
    {"exponential", convertTranscendental, "exponential"},
    {"exponential_minus_one", convertTranscendental, "exponential-minus-one"},
    {"floor", convertPlain, "floor"},
    {"imag", convertPlain, "imag"},
    {"is_finite", convertPlain, "is-finite"},
    {"log", convertTranscendental, "log"},
    {"log_plus_one", convertTranscendental, "log-plus-one"},
    {"logistic", convertTranscendental, "logistic"},
    {"maximum", convertExtremum, "maximum"},
    {"minimum", convertExtremum, "minimum"},
    {"multiply", convertPlain, "multiply"},
    {"negate", convertPlain, "negate"},
    {"not", convertPlain, "not"},
    {"or", convertPlain, "or"},
    {"popcnt", convertPlain, "popcnt"},
    {"power", convertPlain, "power"},
    {"real", convertPlain, "real"},
    {"remainder", convertPlain, "remainder"},
    {"round_nearest_afz", convertPlain, "round-nearest-afz"},
    {"round_nearest_even", convertPlain, "round-nearest-even"},
    {"rsqrt", convertTranscendental, "rsqrt"},
    {"shift_left", convertPlain, "shift-left"},
    {"shift_right_arithmetic", convertPlain, "shift-right-arithmetic"},
    {"shift_right_logical", convertPlain, "shift-right-logical"},
    {"sign", convertPlain, "sign"},
    {"sine", convertTranscendental, "sine"},
    {"sinh", convertSinh, "sinh"},
    {"sqrt", convertTranscendental, "sqrt"},
    {"stochastic_convert", convertPlain, "stochastic-convert"},
    {"subtract", convertPlain, "subtract"},
    {"tan", convertTranscendental, "tan"},
    {"tanh", convertTranscendental, "tanh"},
    {"xor", convertPlain, "xor"},
    {"clamp", convertClamp, "clamp"},
    {"compare", convertCompare, "compare", Items, Same, "#comparison_direction #compare_type"},
    {"select", convertSelect, "select", Items, Predicated},
    {"reduce_precision", convertReducePrecision, "reduce-precision"},
    {"add_dependency", convertPlain, "add-dependency"},

    // Data movement.
    {"constant", convertConstant, "constant", Constant},
    {"iota", convertIota, "iota", Items, Results, "dim=iota_dimension"},
    {"dynamic_iota", convertIota, "iota", Items, Results, "dim=iota_dimension"},
    {"broadcast", convertBroadcast, "broadcast", Items, Same, "sizes=broadcast_sizes"},
    {"broadcast_in_dim", convertBroadcastInDim, "broadcast", Items, Same, "dims=broadcast_dimensions"},
    {"dynamic_broadcast_in_dim", convertBroadcastInDim, "broadcast", Items, Same,
     "dims=broadcast_dimensions"},
    {"reshape", convertReshape, "reshape"},
    {"dynamic_reshape", convertReshape, "reshape"},
    {"transpose", convertTranspose, "transpose", Items, Same, "dims=permutation"},
    {"reverse", convertReverse, "reverse", Items, Same, "dims=dimensions"},
    {"concatenate", convertConcatenate, "concatenate", Items, Same, "dim=dimension"},
    {"slice", convertSlice, "slice"},
    {"real_dynamic_slice", convertRealDynamicSlice, "slice"},
    {"dynamic_slice", convertDynamicSlice, "dynamic-slice", Items, Same, "sizes=slice_sizes"},
    {"dynamic_update_slice", convertPlain, "dynamic-update-slice"},
    {"pad", convertPad, "pad", Items, Same,
     "low=edge_padding_low high=edge_padding_high interior=interior_padding"},
    {"dynamic_pad", convertDynamicPad, "pad"},
    {"get_dimension_size", convertDimensionSize, "get-dimension-size", Items, Same, "dim=dimension"},
    {"set_dimension_size", convertDimensionSize, "set-dimension-size", Items, Same, "dim=dimension"},
    {"gather", convertGather, "gather"},
    {"dynamic_gather", convertGather, "gather"},
    {"torch_index_select", convertTorchIndexSelect, "gather"},

    // Contractions and linear algebra.
    {"dot", convertDot, "dot", Items, Same, "precision=precision_config"},
    {"dot_general", convertDotGeneral, "dot", Items, Same, "precision=precision_config"},
    {"ragged_dot", convertRaggedDot, "ragged-dot", Items, Same, "precision=precision_config"},
    {"einsum", convertEinsum, "dot", Items, Same, "config=einsum_config"},
    {"unary_einsum", convertToCustomCall, "unary_einsum", Items, Same, "config=einsum_config"},
    {"convolution", convertConvolution, "convolution", Items, Same, "dim_numbers=dimension_numbers"},
    {"dynamic_conv", convertConvolution, "convolution", Items, Same, "dim_numbers=dimension_numbers"},
    {"fft", convertFft, "fft", Items, Same, "type=fft_type length=fft_length"},
    {"cholesky", convertCholesky, "cholesky"},
    {"triangular_solve", convertTriangularSolve, "triangular-solve"},

    // With computations.
    {"reduce", convertReduce, "reduce", Reduce},
    {"reduce_window", convertReduceWindow, "reduce-window"},
    {"select_and_scatter", convertSelectAndScatter, "select-and-scatter"},
    {"map", convertMap, "map"},
    {"sort", convertSort, "sort"},
    {"scatter", convertScatter, "scatter"},
    {"scan", convertScan, "scan", Scan},
    {"top_k", convertTopK, "topk"},
    {"topk", convertTopK, "topk"},
    {"batch_norm_grad", convertBatchNorm, "batch-norm-grad"},
    {"batch_norm_inference", convertBatchNorm, "batch-norm-inference"},
    {"batch_norm_training", convertBatchNorm, "batch-norm-training"},

    // Control flow and structure.
    {"while", convertWhile, "while", While},
    {"if", convertIf, "conditional"},
    {"case", convertCase, "conditional"},
    {"call", convertCall, "call"},
    {"composite", convertComposite, "call", Items, Same, "@name"},
    {"custom_call", convertCustomCall, "custom-call", Items, Same, "@call_target_name"},
    {"tuple", convertTuple, "tuple", Items, TupleElements},
    {"get_tuple_element", convertGetTupleElement, "get-tuple-element", Items, Same, "[index"},
    {"optimization_barrier", convertOptimizationBarrier, "opt-barrier", Items, Pairwise},
    {"return", convertNothing, "", Items, NoResult},
    {"rng", convertRng, "rng", Items, Same, "distribution=rng_distribution"},
    {"rng_bit_generator", convertRngBitGenerator, "rng-bit-generator", Items, Same,
     "algorithm=rng_algorithm"},

    // Devices and the host.
    {"after_all", convertPlain, "after-all"},
    {"create_token", convertPlain, "after-all", Items, Results},
    {"replica_id", convertPlain, "replica-id", Items, Results},
    {"partition_id", convertPlain, "partition-id", Items, Results},
    {"all_gather", convertAllGather, "all-gather"},
    {"all_reduce", convertAllReduce, "all-reduce"},
    {"reduce_scatter", convertReduceScatter, "reduce-scatter"},
    {"all_to_all", convertAllToAll, "all-to-all"},
    {"collective_permute", convertCollectivePermute, "collective-permute"},
    {"collective_broadcast", convertCollectiveBroadcast, "collective-broadcast"},
    {"collective_reduce", convertCollectiveReduce, "all-reduce"},
    {"cross-replica-sum", convertCrossReplicaSum, "all-reduce"},
    {"infeed", convertInfeed, "infeed"},
    {"outfeed", convertOutfeed, "outfeed"},
    {"send", convertSend, "send"},
    {"recv", convertRecv, "recv"},
    {"async_start", convertAsyncStart, "async-start"},
    {"async_update", convertAsyncUpdate, "async-update"},
    {"async_done", convertAsyncDone, "async-done"},

    // MHLO's own.
    {"domain", convertDomain, "domain"},
    {"fusion", convertFusion, "fusion"},
    {"xla.rng_get_and_update_state", convertRngGetAndUpdateState, "rng-get-and-update-state", Items,
     RandomState},

    // Quantization.
    {"uniform_quantize", convertUniformQuantize, "convert"},
    {"uniform_dequantize", convertUniformDequantize, "convert"},

    // CHLO.
    {"_asin_acos_kernel", nullptr, ""},
    {"atan", convertAtan, "atan2"},
    {"bessel_i1e", convertBesselI1e, ""},
    {"broadcast_add", convertChloBroadcast, "add"},
    {"broadcast_and", convertChloBroadcast, "and"},
    {"broadcast_atan2", convertChloBroadcast, "atan2"},
    {"broadcast_compare", convertChloCompare, "compare"},
    {"broadcast_complex", convertChloBroadcast, "complex"},
    {"broadcast_divide", convertChloBroadcast, "divide"},
    {"broadcast_maximum", convertChloBroadcast, "maximum"},
    {"broadcast_minimum", convertChloBroadcast, "minimum"},
    {"broadcast_multiply", convertChloBroadcast, "multiply"},
    {"broadcast_next_after", convertNextAfter, ""},
    {"broadcast_or", convertChloBroadcast, "or"},
    {"broadcast_polygamma", convertPolygamma, ""},
    {"broadcast_power", convertChloBroadcast, "power"},
    {"broadcast_remainder", convertChloBroadcast, "remainder"},
    {"broadcast_select", convertChloBroadcast, "select"},
    {"broadcast_shift_left", convertChloBroadcast, "shift-left"},
    {"broadcast_shift_right_arithmetic", convertChloBroadcast, "shift-right-arithmetic"},
    {"broadcast_shift_right_logical", convertChloBroadcast, "shift-right-logical"},
    {"broadcast_subtract", convertChloBroadcast, "subtract"},
    {"broadcast_xor", convertChloBroadcast, "xor"},
    {"broadcast_zeta", convertZeta, ""},
    {"conj", convertConj, ""},
    {"cast", convertCast, "cast"},
    {"constant_like", convertConstantLike, "constant"},
    {"digamma", convertDigamma, ""},
    {"erf_inv", convertErfInv, ""},
    {"erfc", convertErfc, ""},
    {"is_inf", convertIsInf, ""},
    {"is_neg_inf", convertIsInf, "-"},
    {"is_pos_inf", convertIsInf, "+"},
    {"lgamma", convertLgamma, ""},
    {"mulhi", convertMulhi, "mulhi"},
    {"next_after", convertNextAfter, ""},
    {"polygamma", convertPolygamma, ""},
    {"square", convertSquare, "multiply"},
    {"zeta", convertZeta, ""},

    // Shown as custom calls: HLO computes them through others, from shapes known when it runs.
    {"compute_reshape_shape", convertToCustomCall, "compute_reshape_shape"},
    {"cstr_reshapable", convertToCustomCall, "cstr_reshapable"},
    {"dynamic_reduce_window", convertToCustomCall, "dynamic_reduce_window"},
    {"minimum_broadcast_shapes", convertToCustomCall, "minimum_broadcast_shapes"},
    {"trace", convertToCustomCall, "trace"},
};

// The test dialects of the public test data.
constexpr OpRow kCheckOps[] = {
    {"eq", nullptr, "", Items, NoResult},
    {"expect_eq", convertCheck, "expect_eq", Items, NoResult},
    {"expect_eq_const", convertCheck, "expect_eq", Items, NoResult, "@value"},
    {"expect_almost_eq", convertCheck, "expect_almost_eq", Items, NoResult},
    {"expect_almost_eq_const", convertCheck, "expect_almost_eq", Items, NoResult, "@value"},
    {"expect_close", convertCheck, "expect_close", Items, NoResult},
    {"expect_serialized_eq", convertCheck, "expect_serialized_eq", Items, NoResult, "iter=iteration"},
    {"probe", convertProbe, "probe"},
    {"print", convertNothing, "print", Items, NoResult},
    {"run_parallel", convertRunParallel, "run_parallel"},
};

constexpr OpRow kShardyOps[] = {
    {"mesh", convertNothing, "", ShardyMesh},
    {"return", convertNothing, "", Items, NoResult},
    {"constant", convertConstant, "constant", Constant},
    {"sharding_constraint", convertShardyValue, "Sharding", ShardyValue},
    {"reshard", convertShardyValue, "Sharding", ShardyValue},
    {"propagation_barrier", convertShardyValue, "xla.sdy.PropagationBarrier", ShardyValue},
    {"data_flow_edge", convertShardyValue, "xla.sdy.DataFlowEdge", ShardyValue},
    {"sharding_group", convertShardyValue, "xla.sdy.ShardingGroup", ShardyValue},
    {"all_gather", convertShardyValue, "xla.sdy.AllGather", ShardyValue},
    {"all_slice", convertShardyValue, "xla.sdy.AllSlice", ShardyValue},
    {"all_to_all", convertShardyValue, "xla.sdy.AllToAll", ShardyValue},
    {"all_reduce", convertShardyValue, "xla.sdy.AllReduce", ShardyValue},
    {"collective_permute", convertShardyValue, "xla.sdy.CollectivePermute", ShardyValue},
    {"reduce_scatter", convertShardyValue, "xla.sdy.ReduceScatter", ShardyValue},
    {"replicated_to_unreduced", convertShardyValue, "xla.sdy.ReplicatedToUnreduced", ShardyValue},
    {"sharded_to_unreduced", convertShardyValue, "xla.sdy.ShardedToUnreduced", ShardyValue},
    {"manual_computation", convertManualComputation, "call", ShardyRegion},
    {"named_computation", convertNamedComputation, "call", ShardyRegion},
};

}  // namespace

llvm::ArrayRef<OpRow> opTable(llvm::StringRef dialect) {
  if (dialect == "check" || dialect == "interpreter") return kCheckOps;
  if (dialect == "sdy") return kShardyOps;
  if (dialect == "vhlo") return {};  // vhlo_ops.def
  return kOps;
}

const OpRow* findOp(llvm::StringRef dialect, llvm::StringRef name) {
  using Rows = llvm::StringMap<const OpRow*>;
  const auto index = [](llvm::ArrayRef<OpRow> table) {
    auto* rows = new Rows();
    for (const OpRow& row : table) rows->try_emplace(row.name, &row);
    return rows;
  };
  static const Rows& ops = *index(kOps);
  static const Rows& checks = *index(kCheckOps);
  static const Rows& shardy = *index(kShardyOps);
  if (dialect == "vhlo") {
    if (!isVhloOp(name)) return nullptr;
    if (const size_t version = name.rfind("_v"); version != llvm::StringRef::npos)
      name = name.take_front(version);
  } else if (dialect == "func") {
    if (name != "call") return nullptr;
  } else if (dialect == "arith") {
    if (name != "constant") return nullptr;
  } else if (dialect == "tensor") {
    if (name != "cast") return nullptr;
  } else if (dialect == "check" || dialect == "interpreter") {
    return checks.lookup(name);
  } else if (dialect == "sdy") {
    return shardy.lookup(name);
  } else if (dialect != "stablehlo" && dialect != "mhlo" && dialect != "chlo") {
    return nullptr;
  }
  return ops.lookup(name);
}

}  // namespace hilo::stablehlo
