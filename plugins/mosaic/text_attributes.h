// Types and attributes as core/analysis/kernel_layouts/inference/kernel_text.h reads them.
#pragma once

#include <mlir/IR/Attributes.h>
#include <mlir/IR/Types.h>

#include <optional>
#include <string>

namespace hilo::mosaic {

// Nothing where the text has no such type: memory laid out by a map, elements that are themselves several.
std::optional<std::string> textOfType(mlir::Type type);

// `name` decides the form of lists, as there. Nothing where the text has no such attribute.
std::optional<std::string> textOfAttribute(llvm::StringRef name, mlir::Attribute attribute);

// What layouts depend on: an operation whose attribute of this name has no form in the text has none either.
bool isAboutLayouts(llvm::StringRef name);

}  // namespace hilo::mosaic
