#include "plugins/stablehlo/attribute_json.h"

#include <llvm/ADT/TypeSwitch.h>
#include <llvm/Support/JSON.h>

#include "plugins/stablehlo/instruction_attributes.h"
#include "plugins/stablehlo/op_conversion.h"

namespace hilo::stablehlo {
namespace {

llvm::json::Value valueOf(mlir::Attribute attribute);

llvm::json::Value numbers(mlir::Attribute attribute) {
  const auto values = integersOf(attribute);
  if (!values) return textOf(attribute);
  return llvm::json::Array(*values);
}

llvm::json::Object objectOf(mlir::DictionaryAttr fields) {
  llvm::json::Object object;
  for (const mlir::NamedAttribute& field : fields)
    object[field.getName().strref()] = valueOf(field.getValue());
  return object;
}

llvm::json::Value listOf(mlir::ArrayAttr list) {
  llvm::json::Array array;
  for (mlir::Attribute element : list) array.push_back(valueOf(element));
  return array;
}

llvm::json::Value valueOf(mlir::Attribute attribute) {
  return llvm::TypeSwitch<mlir::Attribute, llvm::json::Value>(attribute)
      .Case<mlir::BoolAttr>([](auto flag) { return flag.getValue(); })
      .Case<mlir::UnitAttr>([](auto) { return true; })
      .Case<mlir::IntegerAttr>([](auto integer) -> llvm::json::Value {
        if (integer.getValue().getSignificantBits() > 64) return textOf(integer);
        return integer.getValue().getSExtValue();
      })
      .Case<mlir::FloatAttr>([](auto number) -> llvm::json::Value {
        // JSON has no infinities.
        if (!number.getValue().isFinite()) return textOf(number);
        return number.getValueAsDouble();
      })
      .Case<mlir::DictionaryAttr>([](auto fields) { return objectOf(fields); })
      .Case<mlir::ArrayAttr>([](auto list) { return listOf(list); })
      .Case<mlir::DenseI64ArrayAttr, mlir::DenseI32ArrayAttr, mlir::DenseBoolArrayAttr,
            mlir::DenseIntElementsAttr>([](auto list) { return numbers(list); })
      .Default([](mlir::Attribute other) { return textOf(other); });
}

}  // namespace

std::string jsonOf(mlir::DictionaryAttr attributes) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(objectOf(attributes));
  return text;
}

}  // namespace hilo::stablehlo
