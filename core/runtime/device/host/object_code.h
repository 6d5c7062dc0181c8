// Puts the machine code of an ELF relocatable object into memory and makes it callable, without a compiler's
// libraries: sections are laid out in one mapping, relocations applied, and the code made executable and
// read-only. x86-64 with the small code model and position-independent code, as compiler/codegen makes it.
//
// The bytes are checked for damage (every offset and index), but running code is trusting it: whoever loads a
// program from elsewhere decides that.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace hilo {

class ObjectCode {
 public:
  // Where an undefined symbol lies; null: unknown.
  using Resolver = std::function<void*(std::string_view symbol)>;

  // Error kinds: "malformed-object", "unsupported-relocation", "unresolved-symbol", "out-of-memory".
  static Result<ObjectCode> load(std::span<const std::byte> object, const Resolver& resolver);

  // Address of a global symbol the object defines; null when it has none of this name. Valid as long as
  // the ObjectCode is.
  void* symbol(std::string_view name) const;
  // The bytes of a global function, as far as the object says how many; empty when it has none of this name.
  std::span<const std::byte> code(std::string_view name) const;

 private:
  struct Mapping;
  std::shared_ptr<const Mapping> mapping_;
};

}  // namespace hilo
