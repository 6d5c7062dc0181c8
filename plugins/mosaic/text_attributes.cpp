#include "plugins/mosaic/text_attributes.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>
#include <mlir/IR/AffineMap.h>

#include "plugins/mosaic/dialect.h"
#include "plugins/mosaic/memory_space.h"

namespace hilo::mosaic {
namespace {

using mlir::Attribute;
using Text = std::optional<std::string>;

std::string printed(auto what) {
  std::string text;
  llvm::raw_string_ostream(text) << what;
  return text;
}

std::string sizeText(int64_t size) { return mlir::ShapedType::isDynamic(size) ? "?" : std::to_string(size); }

std::string listOf(llvm::ArrayRef<std::string> parts) { return "[" + llvm::join(parts, ", ") + "]"; }
std::string listOfNumbers(auto numbers) {
  std::vector<std::string> parts;
  for (const auto number : numbers) parts.push_back(sizeText(static_cast<int64_t>(number)));
  return listOf(parts);
}

// "64x128xbf16"; barriers count as one kind of element.
Text elementsText(llvm::ArrayRef<int64_t> shape, mlir::Type element) {
  if (!element.isIntOrIndexOrFloat() && !llvm::isa<BarrierType>(element)) return {};
  std::string text;
  for (const int64_t size : shape) text += sizeText(size) + "x";
  return text + printed(element);
}

// The fastest dimension last, without gaps.
bool isRowMajor(mlir::MemRefType type, llvm::ArrayRef<int64_t> strides) {
  int64_t expected = 1;
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    const int64_t size = type.getDimSize(static_cast<unsigned>(d));
    if (strides[static_cast<size_t>(d)] != expected || mlir::ShapedType::isDynamic(expected)) return false;
    expected = mlir::ShapedType::isDynamic(size) ? size : expected * size;
  }
  return true;
}

Text memoryText(mlir::MemRefType type) {
  Text text = elementsText(type.getShape(), type.getElementType());
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!text || failed(type.getStridesAndOffset(strides, offset))) return {};
  const bool isPlain = type.getLayout().isIdentity() || isRowMajor(type, strides);
  if (!isPlain) *text += ", strided" + listOfNumbers(strides);
  // The memory of another block of the cluster is laid out as this block's.
  const llvm::StringRef memory = memoryOf(type);
  if (memory == "shared" || memory == "cluster") *text += ", smem";
  if (memory == "tensor") *text += ", tmem";
  return "memref<" + *text + ">";
}

bool isWord(llvm::StringRef text) {
  return !text.empty() &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || llvm::StringRef("_.+-").contains(c); });
}

// Whole numbers as such; a fraction as its shortest digits.
Text floatText(const llvm::APFloat& value) {
  llvm::APSInt whole(64, /*isUnsigned=*/false);
  bool isExact = false;
  value.convertToInteger(whole, llvm::APFloat::rmTowardZero, &isExact);
  if (isExact && !(value.isZero() && value.isNegative())) return std::to_string(whole.getExtValue());
  llvm::SmallString<32> digits;
  value.toString(digits);
  return digits.str().lower();
}

Text integerText(const llvm::APInt& value) {
  if (value.getBitWidth() == 1) return std::to_string(value.getZExtValue());
  if (value.getSignificantBits() > 64) return {};
  return std::to_string(value.getSExtValue());
}

// An array's one value, or that it has several.
Text elementsOf(mlir::DenseElementsAttr elements) {
  if (!elements.isSplat()) return "dense";
  if (llvm::isa<mlir::FloatType>(elements.getElementType()))
    return floatText(elements.getSplatValue<llvm::APFloat>());
  if (!elements.getElementType().isIntOrIndex()) return {};
  return integerText(elements.getSplatValue<llvm::APInt>());
}

// Of shared memory: a tile and a swizzle.
Text transformsText(mlir::ArrayAttr transforms) {
  std::vector<std::string> parts;
  for (const Attribute one : transforms) {
    if (auto tile = llvm::dyn_cast<TileTransformAttr>(one)) {
      const std::string sizes = listOfNumbers(tile.getTiling().asArrayRef());
      parts.push_back("tile(" + sizes.substr(1, sizes.size() - 2) + ")");
    } else if (auto swizzle = llvm::dyn_cast<SwizzleTransformAttr>(one)) {
      const int64_t bytes = swizzle.getSwizzle().getInt();
      if (bytes != 16) parts.push_back("swizzle(" + std::to_string(bytes) + ")");
    } else {
      return {};
    }
  }
  return parts.empty() ? "none" : llvm::join(parts, " ");
}

bool isLayout(Attribute attribute) {
  return llvm::isa<TiledLayoutAttr, WGStridedFragLayoutAttr, WGSplatFragLayoutAttr>(attribute);
}

// An item of a list: layouts and transforms under their names, else numbers and lists of numbers.
Text itemText(llvm::StringRef name, Attribute item) {
  if (name == "in_layouts" || name == "out_layouts")
    return isLayout(item) ? Text(printed(item)) : std::nullopt;
  const auto inner = llvm::dyn_cast<mlir::ArrayAttr>(item);
  if (name == "in_transforms") return inner ? transformsText(inner) : std::nullopt;
  if (inner) return textOfAttribute(name, inner);
  const auto number = llvm::dyn_cast<mlir::IntegerAttr>(item);
  return number ? integerText(number.getValue()) : std::nullopt;
}

Text listText(llvm::StringRef name, mlir::ArrayAttr list) {
  if (name == "transforms") return transformsText(list);
  std::vector<std::string> parts;
  for (const Attribute one : list) {
    const Text part = itemText(name, one);
    if (!part) return {};
    parts.push_back(*part);
  }
  return listOf(parts);
}

// Which dimension of the operand each of the result is.
Text permutationText(mlir::AffineMap map) {
  if (!map.isPermutation()) return {};
  std::vector<unsigned> dimensions;
  for (unsigned i = 0; i < map.getNumResults(); ++i) dimensions.push_back(map.getDimPosition(i));
  return listOfNumbers(dimensions);
}

// #gpu<dim x>, #vector.kind<add>, #nvvm.proxy_kind<async.shared>: the last word between the brackets.
Text wordOf(Attribute attribute) {
  const std::string text = printed(attribute);
  llvm::StringRef word = llvm::StringRef(text).rtrim('>');
  word = word.substr(word.find_last_of("< ") + 1);
  if (!text.starts_with('#') || !text.ends_with('>') || !isWord(word)) return {};
  return word.str();
}

}  // namespace

Text textOfType(mlir::Type type) {
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(type)) {
    const Text elements = elementsText(vector.getShape(), vector.getElementType());
    return elements && !vector.isScalable() ? Text("vector<" + *elements + ">") : std::nullopt;
  }
  if (auto memory = llvm::dyn_cast<mlir::MemRefType>(type)) return memoryText(memory);
  const std::string text = printed(type);
  if (text.starts_with('!')) return text.substr(0, text.find('<'));  // its parameters tell nothing
  return llvm::StringRef(text).find_first_of(" <") == llvm::StringRef::npos ? Text(text) : std::nullopt;
}

Text textOfAttribute(llvm::StringRef name, Attribute attribute) {
  if (llvm::isa<mlir::UnitAttr>(attribute)) return "true";
  if (auto flag = llvm::dyn_cast<mlir::BoolAttr>(attribute)) return flag.getValue() ? "true" : "false";
  if (auto number = llvm::dyn_cast<mlir::IntegerAttr>(attribute)) return integerText(number.getValue());
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(attribute)) return floatText(number.getValue());
  if (auto word = llvm::dyn_cast<mlir::StringAttr>(attribute))
    return isWord(word) ? Text(word.str()) : std::nullopt;
  if (auto elements = llvm::dyn_cast<mlir::DenseElementsAttr>(attribute)) return elementsOf(elements);
  if (auto numbers = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(attribute))
    return listOfNumbers(numbers.asArrayRef());
  if (auto numbers = llvm::dyn_cast<mlir::DenseI32ArrayAttr>(attribute))
    return listOfNumbers(numbers.asArrayRef());
  if (auto flags = llvm::dyn_cast<mlir::DenseBoolArrayAttr>(attribute))
    return listOfNumbers(flags.asArrayRef());
  if (auto list = llvm::dyn_cast<mlir::ArrayAttr>(attribute)) return listText(name, list);
  if (auto map = llvm::dyn_cast<mlir::AffineMapAttr>(attribute)) return permutationText(map.getValue());
  if (isLayout(attribute)) return printed(attribute);
  return wordOf(attribute);
}

bool isAboutLayouts(llvm::StringRef name) {
  return llvm::is_contained({"transforms", "in_transforms", "new_layout", "in_layouts", "out_layouts"}, name);
}

}  // namespace hilo::mosaic
