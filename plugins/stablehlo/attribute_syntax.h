// The small grammar that StableHLO's attributes and the items of its pretty forms share:
//
//   value ::= [value, ...] | {key = value, ...} | <key = value, ...> | number | word | `?`
//           | any MLIR attribute | value `x` value | value `->` value
//
// Everything becomes a builtin attribute, so that one conversion serves every spelling: lists of integers are
// DenseI64ArrayAttr, other lists ArrayAttr, words (enumerators) StringAttr, `true` BoolAttr, fields
// DictionaryAttr, `a x b -> c` an ArrayAttr of its parts.
#pragma once

#include <mlir/IR/DialectImplementation.h>

namespace hilo::stablehlo {

mlir::ParseResult parseValue(mlir::AsmParser& parser, mlir::Attribute& value);
// The same where `key` tells that a number is a float.
mlir::ParseResult parseKeyedValue(mlir::AsmParser& parser, llvm::StringRef key, mlir::Attribute& value);
// `key = value` pairs up to `close`, > or }, which is consumed.
mlir::ParseResult parseFields(mlir::AsmParser& parser, char close, mlir::NamedAttrList& fields);

// `#stablehlo.NAME<...>` and `#stablehlo<NAME ...>`.
mlir::Attribute parseDialectAttribute(mlir::DialectAsmParser& parser);
// `!stablehlo.token` and the like.
mlir::Type parseDialectType(mlir::DialectAsmParser& parser, llvm::StringRef dialect);

}  // namespace hilo::stablehlo
