// What a thunk says besides the bytes it uses, to compare it with a thunk of another program.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/runtime/program/program.h"

namespace hilo {

using FieldTexts = std::vector<std::pair<std::string, std::string>>;

class ThunkFields {
 public:
  explicit ThunkFields(const Program& program);
  // By path, {"collective.reduction", "sum"}. Numbers of tables, which another program gives
  // otherwise, are left out: of a kernel there are the size and a hash of its code, of a collective
  // its fields, of sequences nothing.
  FieldTexts of(const Thunk& thunk) const;

 private:
  const Program& program_;
  std::vector<std::string> code_;  // by object
};

}  // namespace hilo
