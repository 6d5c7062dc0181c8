// The attributes of a typed custom call, with their types: the dictionary that its backend_config holds, in
// MLIR's form, of which the kinds are read that XLA hands to handlers (xla/ffi/attribute_map.cc).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/element_type.h"

namespace hilo {

struct CallAttribute {
  enum class Kind : uint8_t { Scalar, Array, String, Dictionary };
  std::string name;
  Kind kind = Kind::Scalar;
  // Of a scalar or of each element: pred, s8 to s64, u8 to u64, f32, f64. What is written without a type is
  // s64 or f64.
  ElementType type = ElementType::S64;
  std::string text;               // of a string
  std::vector<int64_t> integers;  // pred and integers; u64 by its bits
  std::vector<double> floats;
  std::vector<CallAttribute> members;  // of a dictionary, by name

  bool isFloat() const { return type == ElementType::F32 || type == ElementType::F64; }
};

//   {axis = 1 : i64, eps = 1.0e-05 : f32, mode = "fast", flag, sizes = array<i64: 2, 3>, list = [1, 2],
//    table = dense<[1, 2]> : tensor<2xi32>, inner = {a = 1 : ui8}}
// By name. Empty for an empty text; in quotes of its own, too. A name alone is a pred. Kind
// "malformed-attributes" for what is no such dictionary, and for a number that its type does not have.
Result<std::vector<CallAttribute>> parseCallAttributes(std::string_view text);

}  // namespace hilo
