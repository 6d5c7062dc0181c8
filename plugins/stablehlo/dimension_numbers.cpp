#include "plugins/stablehlo/dimension_numbers.h"

#include <mlir/IR/BuiltinAttributes.h>

#include "plugins/stablehlo/dot_algorithms.h"

namespace hilo::stablehlo {
namespace {

template <typename List>
void put(const Integers& values, List* list) {
  list->Add(values.begin(), values.end());
}

bool areWithin(Dims dims, int rank) {
  return llvm::all_of(dims, [&](int64_t dim) { return dim >= 0 && dim < rank; });
}

int64_t oneOf(const Integers& values) { return values.empty() ? 0 : values[0]; }

// One of the three lists of `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`: where the two letters stand and where
// each number does.
bool readLabels(mlir::Attribute attribute, llvm::StringRef first, llvm::StringRef second, int64_t& firstAt,
                int64_t& secondAt, google::protobuf::RepeatedField<int64_t>* spatial) {
  const auto list = llvm::dyn_cast<mlir::ArrayAttr>(attribute);
  if (!list || list.size() < 2) return false;
  spatial->Resize(static_cast<int>(list.size()) - 2, -1);
  firstAt = secondAt = -1;
  for (auto [at, label] : llvm::enumerate(list)) {
    const auto position = static_cast<int64_t>(at);
    if (const auto word = llvm::dyn_cast<mlir::StringAttr>(label)) {
      if (word.getValue() == first) firstAt = position;
      if (word.getValue() == second) secondAt = position;
    } else if (const auto number = llvm::dyn_cast<mlir::IntegerAttr>(label)) {
      // `?` is kDynamic: a dimension without a role.
      if (number.getInt() == mlir::ShapedType::kDynamic) continue;
      if (number.getInt() < 0 || number.getInt() >= spatial->size()) return false;
      spatial->Set(static_cast<int>(number.getInt()), position);
    }
  }
  return firstAt >= 0 && secondAt >= 0 && llvm::all_of(*spatial, [](int64_t at) { return at >= 0; });
}

bool readLabelled(mlir::ArrayAttr lists, pb::ConvolutionDimensionNumbers& n) {
  if (lists.size() != 3) return false;
  int64_t a = 0, b = 0;
  if (!readLabels(lists[0], "b", "f", a, b, n.mutable_input_spatial_dimensions())) return false;
  n.set_input_batch_dimension(a);
  n.set_input_feature_dimension(b);
  if (!readLabels(lists[1], "i", "o", a, b, n.mutable_kernel_spatial_dimensions())) return false;
  n.set_kernel_input_feature_dimension(a);
  n.set_kernel_output_feature_dimension(b);
  if (!readLabels(lists[2], "b", "f", a, b, n.mutable_output_spatial_dimensions())) return false;
  n.set_output_batch_dimension(a);
  n.set_output_feature_dimension(b);
  return true;
}

}  // namespace

bool readDotDimensions(OpConversion& c, llvm::StringRef structure, pb::DotDimensionNumbers& numbers) {
  const auto dims = [&](llvm::StringRef name) { return c.fieldIntegers(structure, name); };
  Integers lhsBatch = dims("lhs_batching_dimensions"), rhsBatch = dims("rhs_batching_dimensions");
  Integers lhsContracting = dims("lhs_contracting_dimensions"),
           rhsContracting = dims("rhs_contracting_dimensions");
  // The pretty form: batching_dims = [0] x [0], contracting_dims = [2] x [1].
  const auto pair = [&](llvm::StringRef name, Integers& lhs, Integers& rhs) {
    const auto lists = llvm::dyn_cast_or_null<mlir::ArrayAttr>(c.attribute(name));
    if (!lists || lists.size() != 2) return;
    lhs = integersOf(lists[0]).value_or(Integers{});
    rhs = integersOf(lists[1]).value_or(Integers{});
  };
  pair("batching_dims", lhsBatch, rhsBatch);
  pair("contracting_dims", lhsContracting, rhsContracting);
  const int lhsRank = c.operand(0)->shape().dimensions_size(),
            rhsRank = c.operand(1)->shape().dimensions_size();
  if (!areWithin(lhsBatch, lhsRank) || !areWithin(lhsContracting, lhsRank) || !areWithin(rhsBatch, rhsRank) ||
      !areWithin(rhsContracting, rhsRank)) {
    (void)c.error("has dimension numbers outside of its operands");
    return false;
  }
  put(lhsBatch, numbers.mutable_lhs_batch_dimensions());
  put(rhsBatch, numbers.mutable_rhs_batch_dimensions());
  put(lhsContracting, numbers.mutable_lhs_contracting_dimensions());
  put(rhsContracting, numbers.mutable_rhs_contracting_dimensions());
  return true;
}

bool readConvolutionDimensions(OpConversion& c, pb::ConvolutionDimensionNumbers& n) {
  if (const auto lists = llvm::dyn_cast_or_null<mlir::ArrayAttr>(c.attribute("dimension_numbers"))) {
    if (readLabelled(lists, n)) return true;
    (void)c.error("has dimension numbers that name no batch, feature and spatial dimensions");
    return false;
  }
  const auto dims = [&](llvm::StringRef name) { return c.fieldIntegers("dimension_numbers", name); };
  n.set_input_batch_dimension(oneOf(dims("input_batch_dimension")));
  n.set_input_feature_dimension(oneOf(dims("input_feature_dimension")));
  put(dims("input_spatial_dimensions"), n.mutable_input_spatial_dimensions());
  n.set_kernel_input_feature_dimension(oneOf(dims("kernel_input_feature_dimension")));
  n.set_kernel_output_feature_dimension(oneOf(dims("kernel_output_feature_dimension")));
  put(dims("kernel_spatial_dimensions"), n.mutable_kernel_spatial_dimensions());
  n.set_output_batch_dimension(oneOf(dims("output_batch_dimension")));
  n.set_output_feature_dimension(oneOf(dims("output_feature_dimension")));
  put(dims("output_spatial_dimensions"), n.mutable_output_spatial_dimensions());
  return true;
}

bool readWindow(OpConversion& c, Dims sizes, const WindowNames& names, std::optional<Integers> padding,
                pb::Window& window) {
  const auto count = static_cast<int64_t>(sizes.size());
  const auto read = [&](llvm::StringRef name, int64_t otherwise) {
    return name.empty() ? Integers(sizes.size(), otherwise) : c.integersOr(name, count, otherwise);
  };
  const Integers strides = read(names.strides, 1), base = read(names.baseDilation, 1);
  const Integers dilation = read(names.windowDilation, 1), reversal = read(names.reversal, 0);
  if (!padding) padding = c.integersOr(names.padding, 2 * count, 0);
  const auto fits = [&](const Integers& list) { return list.size() == sizes.size(); };
  if (!fits(strides) || !fits(base) || !fits(dilation) || !fits(reversal) ||
      padding->size() != 2 * sizes.size()) {
    (void)c.error("has a window whose parts are of different number");
    return false;
  }
  for (size_t n = 0; n < sizes.size(); ++n) {
    auto* dimension = window.add_dimensions();
    dimension->set_size(sizes[n]);
    dimension->set_stride(strides[n]);
    dimension->set_padding_low((*padding)[2 * n]);
    dimension->set_padding_high((*padding)[2 * n + 1]);
    dimension->set_base_dilation(base[n]);
    dimension->set_window_dilation(dilation[n]);
    dimension->set_window_reversal(reversal[n] != 0);
  }
  return true;
}

namespace {

// Nothing where none is asked for; UNSET where XLA has no name for it.
void readAlgorithm(OpConversion& c, pb::PrecisionConfig& config) {
  const auto word = [&](llvm::StringRef name) {
    mlir::Attribute value = c.field("algorithm", name);
    if (const auto type = llvm::dyn_cast_or_null<mlir::TypeAttr>(value)) {
      std::string text;
      llvm::raw_string_ostream(text) << type.getValue();
      return text;
    }
    const auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(value);
    return text ? text.str() : std::string();
  };
  const auto number = [&](llvm::StringRef name) { return oneOf(c.fieldIntegers("algorithm", name)); };
  const std::string lhs = word("lhs_precision_type"), rhs = word("rhs_precision_type");
  if (lhs.empty()) return;
  const bool isOfFloats8 = lhs.starts_with("f8") && rhs.starts_with("f8");
  if (lhs != rhs && !isOfFloats8) return;
  config.set_algorithm(algorithmOf({.operand = lhs,
                                    .accumulation = word("accumulation_type"),
                                    .components = number("lhs_component_count"),
                                    .operations = number("num_primitive_operations"),
                                    .imprecise = number("allow_imprecise_accumulation") != 0}));
}

}  // namespace

void readPrecision(OpConversion& c, Hlo made) {
  auto* config = made->mutable_precision_config();
  if (const auto list = llvm::dyn_cast_or_null<mlir::ArrayAttr>(c.attribute("precision_config"))) {
    for (mlir::Attribute one : list) {
      const auto word = llvm::dyn_cast<mlir::StringAttr>(one);
      const llvm::StringRef name = word ? word.getValue() : "DEFAULT";
      config->add_operand_precision(name == "HIGH"      ? pb::PrecisionConfig::HIGH
                                    : name == "HIGHEST" ? pb::PrecisionConfig::HIGHEST
                                                        : pb::PrecisionConfig::DEFAULT);
    }
  }
  while (config->operand_precision_size() < 2) config->add_operand_precision(pb::PrecisionConfig::DEFAULT);
  readAlgorithm(c, *config);
}

}  // namespace hilo::stablehlo
