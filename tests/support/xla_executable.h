// What XLA:CPU compiles a module to, as small as such a file can be. For tests that link the proto room.
#pragma once

#include "core/hlo/proto/schema/executable.pb.h"

namespace hilo {

// Of the module `m`, whose `main` gives back its one parameter; its thunks are the caller's to add.
inline pb::CompilationResultProto xlaExecutable() {
  pb::CompilationResultProto executable;
  executable.add_object_files()->set_contents("code");
  auto& module = *executable.mutable_hlo_module()->mutable_hlo_module();
  module.set_name("m");
  auto& computation = *module.add_computations();
  computation.set_name("main");
  computation.set_id(1);
  computation.set_root_id(1);
  auto& x = *computation.add_instructions();
  x.set_name("x");
  x.set_opcode("parameter");
  x.set_id(1);
  x.mutable_shape()->set_element_type(pb::F32);
  return executable;
}

}  // namespace hilo
