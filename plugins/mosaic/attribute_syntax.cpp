// How attributes are written, those with an older form besides: both are read, the newer is printed.
#include <mlir/IR/AffineMap.h>
#include <mlir/IR/DialectImplementation.h>

#include "plugins/mosaic/dialect.h"

namespace hilo::mosaic {
namespace {

using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;

// `[1, 2]` or `1, 2` in angle brackets. Nothing where the parser has said why not.
mlir::FailureOr<llvm::SmallVector<int32_t>> parseList(AsmParser& parser) {
  llvm::SmallVector<int32_t> numbers;
  if (parser.parseLess()) return mlir::failure();
  const bool isBracketed = succeeded(parser.parseOptionalLSquare());
  const auto number = [&] { return parser.parseInteger(numbers.emplace_back()); };
  const bool isEmpty = isBracketed && succeeded(parser.parseOptionalRSquare());
  if (!isEmpty && parser.parseCommaSeparatedList(number)) return mlir::failure();
  if (isBracketed && !isEmpty && parser.parseRSquare()) return mlir::failure();
  if (parser.parseGreater()) return mlir::failure();
  return numbers;
}

template <typename Transform>
Attribute parseTransform(AsmParser& parser) {
  const auto numbers = parseList(parser);
  if (failed(numbers)) return {};
  return Transform::get(parser.getContext(), mlir::DenseI32ArrayAttr::get(parser.getContext(), *numbers));
}

void printList(AsmPrinter& printer, mlir::DenseI32ArrayAttr numbers) {
  printer << "<[";
  llvm::interleaveComma(numbers.asArrayRef(), printer);
  printer << "]>";
}

mlir::LogicalResult sixBits(llvm::function_ref<mlir::InFlightDiagnostic()> error, mlir::Type type) {
  if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 6) return mlir::success();
  return error() << "holds elements of 6 bits, which " << type << " is not";
}

// A list, or one dimension as it was written until June 2025.
mlir::ParseResult parseWarpDimensions(AsmParser& parser, mlir::ArrayAttr& dimensions) {
  if (succeeded(parser.parseOptionalKeyword("warp_dims")))
    return mlir::failure(parser.parseEqual() || parser.parseAttribute(dimensions));
  Attribute only;
  if (parser.parseKeyword("warp_dim") || parser.parseEqual() || parser.parseAttribute(only))
    return mlir::failure();
  dimensions = mlir::ArrayAttr::get(parser.getContext(), {only});
  return mlir::success();
}

}  // namespace

Attribute TileTransformAttr::parse(AsmParser& parser, mlir::Type) {
  return parseTransform<TileTransformAttr>(parser);
}
void TileTransformAttr::print(AsmPrinter& printer) const { printList(printer, getTiling()); }

Attribute TransposeTransformAttr::parse(AsmParser& parser, mlir::Type) {
  return parseTransform<TransposeTransformAttr>(parser);
}
void TransposeTransformAttr::print(AsmPrinter& printer) const { printList(printer, getPermutation()); }

Attribute SwizzleTransformAttr::parse(AsmParser& parser, mlir::Type) {
  if (parser.parseLess()) return {};
  uint32_t bytes = 0;
  llvm::StringRef name;
  const auto at = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword(&name))) {
    if (!name.consume_front("swizzle_")) name = "";
    if (name == "none") {
      bytes = 16;
    } else if (name.getAsInteger(10, bytes)) {
      bytes = 0;
    }
  } else {
    mlir::IntegerType type;
    if (parser.parseInteger(bytes)) return {};
    if (succeeded(parser.parseOptionalColon()) && parser.parseType(type)) return {};
  }
  const auto mode = symbolizeSwizzlingMode(bytes);
  if (!mode) {
    parser.emitError(at, "a swizzle is of 16 (none), 32, 64 or 128 bytes");
    return {};
  }
  if (parser.parseGreater()) return {};
  return get(parser.getContext(), SwizzlingModeAttr::get(parser.getContext(), *mode));
}
void SwizzleTransformAttr::print(AsmPrinter& printer) const {
  printer << "<" << getSwizzle().getInt() << ">";
}

Attribute TiledLayoutAttr::parse(AsmParser& parser, mlir::Type) {
  mlir::ArrayAttr tiling, warps, lanes;
  int vector = 0;
  if (parser.parseLess() || parser.parseAttribute(tiling) || parser.parseComma() ||
      parseWarpDimensions(parser, warps) || parser.parseComma() || parser.parseKeyword("lane_dims") ||
      parser.parseEqual() || parser.parseAttribute(lanes) || parser.parseComma() ||
      parser.parseKeyword("vector_dim") || parser.parseEqual() || parser.parseInteger(vector) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), tiling, warps, lanes, vector);
}
void TiledLayoutAttr::print(AsmPrinter& printer) const {
  printer << "<" << getTiling() << ", warp_dims = " << getWarpDims() << ", lane_dims = " << getLaneDims()
          << ", vector_dim = " << getVectorDim() << ">";
}

mlir::AffineMap LayoutAttr::getAffineMap() const {
  return mlir::AffineMap::getMultiDimIdentityMap(static_cast<unsigned>(std::clamp(getRank(), 0, 64)),
                                                 getContext());
}

mlir::LogicalResult B6x16P32Type::verify(llvm::function_ref<mlir::InFlightDiagnostic()> error,
                                         mlir::Type type) {
  return sixBits(error, type);
}
mlir::LogicalResult P2B6Type::verify(llvm::function_ref<mlir::InFlightDiagnostic()> error, mlir::Type type) {
  return sixBits(error, type);
}

}  // namespace hilo::mosaic
