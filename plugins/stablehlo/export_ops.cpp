#include "plugins/stablehlo/export_ops.h"

#include <llvm/ADT/StringMap.h>

#include "plugins/stablehlo/dot_algorithms.h"
#include "plugins/stablehlo/export_literal.h"
#include "plugins/stablehlo/group_lists.h"

namespace hilo::stablehlo {
namespace {

using Instruction = pb::HloInstructionProto;
using Text = std::optional<std::string>;
using Ints = google::protobuf::RepeatedField<int64_t>;

std::string listText(const Ints& values) {
  std::string text;
  for (const int64_t value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

std::string integer(const char* name, int64_t value) {
  return std::string(name) + " = " + std::to_string(value) + " : i64";
}
std::string array(const char* name, const Ints& values) {
  return std::string(name) + " = " + arrayText(values);
}
std::string flag(const char* name, bool value) {
  return std::string(name) + (value ? " = true" : " = false");
}
std::string word(const char* name, const char* kind, const std::string& value) {
  return std::string(name) + " = #stablehlo<" + kind + " " + value + ">";
}

template <typename Get>
Ints each(const pb::Window& window, const Get& get) {
  Ints values;
  for (const auto& dimension : window.dimensions()) values.Add(get(dimension));
  return values;
}

std::string paddingText(const pb::Window& window) {
  std::string rows;
  for (const auto& d : window.dimensions())
    rows += (rows.empty() ? "[" : ", [") + std::to_string(d.padding_low()) + ", " +
            std::to_string(d.padding_high()) + "]";
  const std::string type = "tensor<" + std::to_string(window.dimensions_size()) + "x2xi64>";
  return "padding = dense<" + (rows.empty() ? "" : "[" + rows + "]") + "> : " + type;
}

std::string precisionText(const Instruction& hlo) {
  static constexpr const char* kNames[] = {"DEFAULT", "HIGH", "HIGHEST"};
  std::string text;
  for (const int precision : hlo.precision_config().operand_precision()) {
    const char* name = precision >= 0 && precision < 3 ? kNames[precision] : "DEFAULT";
    text += (text.empty() ? "" : ", ") + std::string("#stablehlo<precision ") + name + ">";
  }
  return text.empty() ? "" : ", precision_config = [" + text + "]";
}

// ---- one function an operation whose attributes are not regular

Text dimension(const Instruction& hlo, std::string&) {
  return integer("dimension", hlo.dimensions_size() > 0 ? hlo.dimensions(0) : 0);
}
Text dimensions(const Instruction& hlo, std::string&) { return array("dimensions", hlo.dimensions()); }
Text permutation(const Instruction& hlo, std::string&) { return array("permutation", hlo.dimensions()); }
Text iota(const Instruction& hlo, std::string&) {
  return integer("iota_dimension", hlo.dimensions_size() > 0 ? hlo.dimensions(0) : 0);
}
Text broadcast(const Instruction& hlo, std::string&) {
  return array("broadcast_dimensions", hlo.dimensions());
}
Text sliceSizes(const Instruction& hlo, std::string&) {
  return array("slice_sizes", hlo.dynamic_slice_sizes());
}

Text compare(const Instruction& hlo, std::string&) {
  std::string text = word("comparison_direction", "comparison_direction", hlo.comparison_direction());
  if (!hlo.comparison_type().empty())
    text += ", " + word("compare_type", "comparison_type", hlo.comparison_type());
  return text;
}

Text slice(const Instruction& hlo, std::string&) {
  Ints starts, limits, strides;
  for (const auto& d : hlo.slice_dimensions()) {
    starts.Add(d.start());
    limits.Add(d.limit());
    strides.Add(d.stride() == 0 ? 1 : d.stride());
  }
  return array("start_indices", starts) + ", " + array("limit_indices", limits) + ", " +
         array("strides", strides);
}

Text pad(const Instruction& hlo, std::string&) {
  Ints low, high, interior;
  for (const auto& d : hlo.padding_config().dimensions()) {
    low.Add(d.edge_padding_low());
    high.Add(d.edge_padding_high());
    interior.Add(d.interior_padding());
  }
  return array("edge_padding_low", low) + ", " + array("edge_padding_high", high) + ", " +
         array("interior_padding", interior);
}

Text reducePrecision(const Instruction& hlo, std::string&) {
  return "exponent_bits = " + std::to_string(hlo.exponent_bits()) +
         " : i32, mantissa_bits = " + std::to_string(hlo.mantissa_bits()) + " : i32";
}

Text dot(const Instruction& hlo, std::string& error) {
  const auto algorithm = hlo.precision_config().algorithm();
  const bool hasOne = algorithm != pb::PrecisionConfig::ALG_UNSET;
  const std::string algorithmText = dotAlgorithmText(algorithm);
  if (hasOne && algorithmText.empty()) return error = "a dot with an unknown algorithm", Text();
  const auto& n = hlo.dot_dimension_numbers();
  return "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = " +
         listText(n.lhs_batch_dimensions()) +
         ", rhs_batching_dimensions = " + listText(n.rhs_batch_dimensions()) +
         ", lhs_contracting_dimensions = " + listText(n.lhs_contracting_dimensions()) +
         ", rhs_contracting_dimensions = " + listText(n.rhs_contracting_dimensions()) + ">" +
         precisionText(hlo) + (hasOne ? ", algorithm = " + algorithmText : "");
}

Text raggedDot(const Instruction& hlo, std::string&) {
  const auto& ragged = hlo.ragged_dot_dimension_numbers();
  const auto& n = ragged.dot_dimension_numbers();
  return "ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = " +
         listText(n.lhs_batch_dimensions()) +
         ", rhs_batching_dimensions = " + listText(n.rhs_batch_dimensions()) +
         ", lhs_contracting_dimensions = " + listText(n.lhs_contracting_dimensions()) +
         ", rhs_contracting_dimensions = " + listText(n.rhs_contracting_dimensions()) +
         ", lhs_ragged_dimensions = " + listText(ragged.lhs_ragged_dimensions()) +
         ", rhs_group_dimensions = " + listText(ragged.rhs_group_dimensions()) + ">" + precisionText(hlo);
}

// "[b, 0, 1, f]": which letter or spatial dimension stands where.
std::string labels(const char* first, int64_t firstAt, const char* second, int64_t secondAt,
                   const Ints& spatial) {
  std::string text;
  for (int64_t at = 0; at < spatial.size() + 2; ++at) {
    std::string label = at == firstAt ? first : at == secondAt ? second : "?";
    for (int n = 0; n < spatial.size(); ++n) {
      if (spatial.Get(n) == at) label = std::to_string(n);
    }
    text += (at == 0 ? "" : ", ") + label;
  }
  return "[" + text + "]";
}

Text convolution(const Instruction& hlo, std::string&) {
  const auto& n = hlo.convolution_dimension_numbers();
  const pb::Window& w = hlo.window();
  std::string reversal;
  for (const auto& d : w.dimensions())
    reversal += std::string(reversal.empty() ? "" : ", ") + (d.window_reversal() ? "true" : "false");
  return "dimension_numbers = #stablehlo.conv<" +
         labels("b", n.input_batch_dimension(), "f", n.input_feature_dimension(),
                n.input_spatial_dimensions()) +
         "x" +
         labels("i", n.kernel_input_feature_dimension(), "o", n.kernel_output_feature_dimension(),
                n.kernel_spatial_dimensions()) +
         "->" +
         labels("b", n.output_batch_dimension(), "f", n.output_feature_dimension(),
                n.output_spatial_dimensions()) +
         ">, " + array("window_strides", each(w, [](const auto& d) { return d.stride(); })) + ", " +
         paddingText(w) + ", " +
         array("lhs_dilation", each(w, [](const auto& d) { return d.base_dilation(); })) + ", " +
         array("rhs_dilation", each(w, [](const auto& d) { return d.window_dilation(); })) +
         ", window_reversal = array<i1" + (reversal.empty() ? "" : ": " + reversal) + ">, " +
         integer("feature_group_count", std::max<int64_t>(1, hlo.feature_group_count())) + ", " +
         integer("batch_group_count", std::max<int64_t>(1, hlo.batch_group_count())) + precisionText(hlo);
}

Text fft(const Instruction& hlo, std::string&) {
  static constexpr const char* kNames[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  return word("fft_type", "fft_type", kNames[static_cast<int>(hlo.fft_type()) & 3]) + ", " +
         array("fft_length", hlo.fft_length());
}

Text cholesky(const Instruction& hlo, std::string&) { return flag("lower", hlo.cholesky_options().lower()); }

Text triangularSolve(const Instruction& hlo, std::string&) {
  const auto& o = hlo.triangular_solve_options();
  const char* transpose = o.transpose_a() == pb::TriangularSolveOptions::TRANSPOSE ? "TRANSPOSE"
                          : o.transpose_a() == pb::TriangularSolveOptions::ADJOINT ? "ADJOINT"
                                                                                   : "NO_TRANSPOSE";
  return flag("left_side", o.left_side()) + ", " + flag("lower", o.lower()) + ", " +
         flag("unit_diagonal", o.unit_diagonal()) + ", " + word("transpose_a", "transpose", transpose);
}

Text reduceWindow(const Instruction& hlo, std::string&) {
  const pb::Window& w = hlo.window();
  return array("window_dimensions", each(w, [](const auto& d) { return d.size(); })) + ", " +
         array("window_strides", each(w, [](const auto& d) { return d.stride(); })) + ", " +
         array("base_dilations", each(w, [](const auto& d) { return d.base_dilation(); })) + ", " +
         array("window_dilations", each(w, [](const auto& d) { return d.window_dilation(); })) + ", " +
         paddingText(w);
}

Text selectAndScatter(const Instruction& hlo, std::string&) {
  const pb::Window& w = hlo.window();
  return array("window_dimensions", each(w, [](const auto& d) { return d.size(); })) + ", " +
         array("window_strides", each(w, [](const auto& d) { return d.stride(); })) + ", " + paddingText(w);
}

Text sort(const Instruction& hlo, std::string&) {
  return integer("dimension", hlo.dimensions_size() > 0 ? hlo.dimensions(0) : -1) + ", " +
         flag("is_stable", hlo.is_stable());
}

Text gather(const Instruction& hlo, std::string&) {
  const auto& n = hlo.gather_dimension_numbers();
  return "dimension_numbers = #stablehlo.gather<offset_dims = " + listText(n.offset_dims()) +
         ", collapsed_slice_dims = " + listText(n.collapsed_slice_dims()) +
         ", operand_batching_dims = " + listText(n.operand_batching_dims()) +
         ", start_indices_batching_dims = " + listText(n.start_indices_batching_dims()) +
         ", start_index_map = " + listText(n.start_index_map()) +
         ", index_vector_dim = " + std::to_string(n.index_vector_dim()) + ">, " +
         array("slice_sizes", hlo.gather_slice_sizes()) + ", " +
         flag("indices_are_sorted", hlo.indices_are_sorted());
}

Text scatter(const Instruction& hlo, std::string&) {
  const auto& n = hlo.scatter_dimension_numbers();
  return "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = " +
         listText(n.update_window_dims()) + ", inserted_window_dims = " + listText(n.inserted_window_dims()) +
         ", input_batching_dims = " + listText(n.input_batching_dims()) +
         ", scatter_indices_batching_dims = " + listText(n.scatter_indices_batching_dims()) +
         ", scatter_dims_to_operand_dims = " + listText(n.scatter_dims_to_operand_dims()) +
         ", index_vector_dim = " + std::to_string(n.index_vector_dim()) + ">, " +
         flag("indices_are_sorted", hlo.indices_are_sorted()) + ", " +
         flag("unique_indices", hlo.unique_indices());
}

Text batchNorm(const Instruction& hlo, std::string&) {
  char epsilon[32];
  std::snprintf(epsilon, sizeof epsilon, "%.9e", static_cast<double>(hlo.epsilon()));
  return std::string("epsilon = ") + epsilon + " : f32, " + integer("feature_index", hlo.feature_index());
}

Text rngBitGenerator(const Instruction& hlo, std::string&) {
  static constexpr const char* kNames[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
  const int algorithm = hlo.rng_algorithm();
  return word("rng_algorithm", "rng_algorithm", kNames[algorithm >= 0 && algorithm < 3 ? algorithm : 0]);
}

Text topK(const Instruction& hlo, std::string& error) {
  if (!hlo.largest()) return error = "a topk of the smallest", Text();
  return integer("k", hlo.k());
}

Text customCall(const Instruction& hlo, std::string& error) {
  if (hlo.called_computation_ids_size() > 0) return error = "a custom call that calls computations", Text();
  return "call_target_name = " + quoted(hlo.custom_call_target()) + ", " +
         flag("has_side_effect", hlo.custom_call_has_side_effect()) + ", backend_config = " +
         (hlo.custom_call_api_version() == pb::API_VERSION_TYPED_FFI && !hlo.backend_config().empty()
              ? hlo.backend_config()
              : quoted(hlo.backend_config())) +
         ", api_version = " + std::to_string(static_cast<int>(hlo.custom_call_api_version())) + " : i32";
}

// ---- collectives

Text groups(const Instruction& hlo, std::string& error) {
  const auto lists = groupLists(hlo);
  if (!lists) return error = "replica groups over the axes of a mesh", Text();
  size_t width = 0;
  for (const auto& group : *lists) width = std::max(width, group.size());
  std::string rows;
  for (const auto& group : *lists) {
    std::string row;
    for (size_t n = 0; n < width; ++n)
      row += (n == 0 ? "" : ", ") + std::to_string(n < group.size() ? group[n] : -1);
    rows += (rows.empty() ? "[" : ", [") + row + "]";
  }
  return "replica_groups = dense<" + (rows.empty() ? "" : "[" + rows + "]") + "> : tensor<" +
         std::to_string(lists->size()) + "x" + std::to_string(width) + "xi64>";
}

std::string channel(const Instruction& hlo) {
  if (hlo.channel_id() <= 0) return "";
  return ", channel_handle = #stablehlo.channel_handle<handle = " + std::to_string(hlo.channel_id()) +
         ", type = 1>" + (hlo.use_global_device_ids() ? ", use_global_device_ids" : "");
}

Text collective(const Instruction& hlo, std::string& error) {
  const Text text = groups(hlo, error);
  return text ? *text + channel(hlo) : text;
}
Text allGather(const Instruction& hlo, std::string& error) {
  const Text text = collective(hlo, error);
  return text ? integer("all_gather_dim", hlo.dimensions_size() > 0 ? hlo.dimensions(0) : 0) + ", " + *text
              : text;
}
Text reduceScatter(const Instruction& hlo, std::string& error) {
  const Text text = collective(hlo, error);
  return text ? integer("scatter_dimension", hlo.dimensions_size() > 0 ? hlo.dimensions(0) : 0) + ", " + *text
              : text;
}
// Of the form that splits and joins one array along one dimension.
Text allToAll(const Instruction& hlo, std::string& error) {
  const auto lists = groupLists(hlo);
  const Text text = collective(hlo, error);
  if (!text) return text;
  if (hlo.dimensions_size() != 1 || lists->empty()) return error = "an all-to-all of tuples", Text();
  return integer("split_dimension", hlo.dimensions(0)) + ", " +
         integer("concat_dimension", hlo.dimensions(0)) + ", " +
         integer("split_count", static_cast<int64_t>(lists->front().size())) + ", " + *text;
}
Text collectiveBroadcast(const Instruction& hlo, std::string& error) {
  const Text text = collective(hlo, error);
  return text && hlo.has_dynamic_root() ? *text + ", has_dynamic_root" : text;
}
Text permute(const Instruction& hlo, std::string&) {
  std::string rows;
  for (const auto& pair : hlo.source_target_pairs())
    rows += (rows.empty() ? "[" : ", [") + std::to_string(pair.source()) + ", " +
            std::to_string(pair.target()) + "]";
  return "source_target_pairs = dense<" + (rows.empty() ? "" : "[" + rows + "]") + "> : tensor<" +
         std::to_string(hlo.source_target_pairs_size()) + "x2xi64>" + channel(hlo);
}

constexpr ExportRow kRows[] = {
    {"abs", "stablehlo.abs", nullptr},
    {"acos", "chlo.acos", nullptr},
    {"acosh", "chlo.acosh", nullptr},
    {"add", "stablehlo.add", nullptr},
    {"after-all", "stablehlo.after_all", nullptr},
    {"all-gather", "stablehlo.all_gather", allGather},
    {"all-reduce", "stablehlo.all_reduce", collective, 1},
    {"all-to-all", "stablehlo.all_to_all", allToAll},
    {"and", "stablehlo.and", nullptr},
    {"asin", "chlo.asin", nullptr},
    {"asinh", "chlo.asinh", nullptr},
    {"atan2", "stablehlo.atan2", nullptr},
    {"atanh", "chlo.atanh", nullptr},
    {"batch-norm-grad", "stablehlo.batch_norm_grad", batchNorm},
    {"batch-norm-inference", "stablehlo.batch_norm_inference", batchNorm},
    {"batch-norm-training", "stablehlo.batch_norm_training", batchNorm},
    {"bitcast-convert", "stablehlo.bitcast_convert", nullptr},
    {"broadcast", "stablehlo.broadcast_in_dim", broadcast},
    {"cbrt", "stablehlo.cbrt", nullptr},
    {"ceil", "stablehlo.ceil", nullptr},
    {"cholesky", "stablehlo.cholesky", cholesky},
    {"clamp", "stablehlo.clamp", nullptr},
    {"collective-broadcast", "stablehlo.collective_broadcast", collectiveBroadcast},
    {"collective-permute", "stablehlo.collective_permute", permute},
    {"compare", "stablehlo.compare", compare},
    {"complex", "stablehlo.complex", nullptr},
    {"concatenate", "stablehlo.concatenate", dimension},
    {"convert", "stablehlo.convert", nullptr},
    {"convolution", "stablehlo.convolution", convolution},
    {"cosh", "chlo.cosh", nullptr},
    {"cosine", "stablehlo.cosine", nullptr},
    {"count-leading-zeros", "stablehlo.count_leading_zeros", nullptr},
    {"custom-call", "stablehlo.custom_call", customCall},
    {"divide", "stablehlo.divide", nullptr},
    {"dot", "stablehlo.dot_general", dot},
    {"dynamic-slice", "stablehlo.dynamic_slice", sliceSizes},
    {"dynamic-update-slice", "stablehlo.dynamic_update_slice", nullptr},
    {"erf", "chlo.erf", nullptr},
    {"exponential", "stablehlo.exponential", nullptr},
    {"exponential-minus-one", "stablehlo.exponential_minus_one", nullptr},
    {"fft", "stablehlo.fft", fft},
    {"floor", "stablehlo.floor", nullptr},
    {"gather", "stablehlo.gather", gather},
    {"get-dimension-size", "stablehlo.get_dimension_size", dimension},
    {"imag", "stablehlo.imag", nullptr},
    {"iota", "stablehlo.iota", iota},
    {"is-finite", "stablehlo.is_finite", nullptr},
    {"log", "stablehlo.log", nullptr},
    {"log-plus-one", "stablehlo.log_plus_one", nullptr},
    {"logistic", "stablehlo.logistic", nullptr},
    {"map", "stablehlo.map", dimensions, 1},
    {"maximum", "stablehlo.maximum", nullptr},
    {"minimum", "stablehlo.minimum", nullptr},
    {"multiply", "stablehlo.multiply", nullptr},
    {"negate", "stablehlo.negate", nullptr},
    {"not", "stablehlo.not", nullptr},
    {"opt-barrier", "stablehlo.optimization_barrier", nullptr},
    {"or", "stablehlo.or", nullptr},
    {"pad", "stablehlo.pad", pad},
    {"partition-id", "stablehlo.partition_id", nullptr},
    {"popcnt", "stablehlo.popcnt", nullptr},
    {"power", "stablehlo.power", nullptr},
    {"ragged-dot", "chlo.ragged_dot", raggedDot},
    {"real", "stablehlo.real", nullptr},
    {"reduce", "stablehlo.reduce", dimensions, 1},
    {"reduce-precision", "stablehlo.reduce_precision", reducePrecision},
    {"reduce-scatter", "stablehlo.reduce_scatter", reduceScatter, 1},
    {"reduce-window", "stablehlo.reduce_window", reduceWindow, 1},
    {"remainder", "stablehlo.remainder", nullptr},
    {"replica-id", "stablehlo.replica_id", nullptr},
    {"reshape", "stablehlo.reshape", nullptr},
    {"reverse", "stablehlo.reverse", dimensions},
    {"rng-bit-generator", "stablehlo.rng_bit_generator", rngBitGenerator},
    {"round-nearest-afz", "stablehlo.round_nearest_afz", nullptr},
    {"round-nearest-even", "stablehlo.round_nearest_even", nullptr},
    {"rsqrt", "stablehlo.rsqrt", nullptr},
    {"scatter", "stablehlo.scatter", scatter, 1},
    {"select", "stablehlo.select", nullptr},
    {"select-and-scatter", "stablehlo.select_and_scatter", selectAndScatter, 2},
    {"set-dimension-size", "stablehlo.set_dimension_size", dimension},
    {"shift-left", "stablehlo.shift_left", nullptr},
    {"shift-right-arithmetic", "stablehlo.shift_right_arithmetic", nullptr},
    {"shift-right-logical", "stablehlo.shift_right_logical", nullptr},
    {"sign", "stablehlo.sign", nullptr},
    {"sine", "stablehlo.sine", nullptr},
    {"sinh", "chlo.sinh", nullptr},
    {"slice", "stablehlo.slice", slice},
    {"sort", "stablehlo.sort", sort, 1},
    {"sqrt", "stablehlo.sqrt", nullptr},
    {"subtract", "stablehlo.subtract", nullptr},
    {"tan", "stablehlo.tan", nullptr},
    {"tanh", "stablehlo.tanh", nullptr},
    {"topk", "chlo.top_k", topK},
    {"transpose", "stablehlo.transpose", permutation},
    {"triangular-solve", "stablehlo.triangular_solve", triangularSolve},
    {"xor", "stablehlo.xor", nullptr},
};

}  // namespace

std::string arrayText(const Ints& values) {
  std::string text;
  for (const int64_t value : values) text += (text.empty() ? ": " : ", ") + std::to_string(value);
  return "array<i64" + text + ">";
}

const ExportRow* findExport(const std::string& opcode) {
  static const auto& rows = *[] {
    auto* made = new llvm::StringMap<const ExportRow*>();
    for (const ExportRow& row : kRows) made->try_emplace(row.opcode, &row);
    return made;
  }();
  return rows.lookup(opcode);
}

}  // namespace hilo::stablehlo
