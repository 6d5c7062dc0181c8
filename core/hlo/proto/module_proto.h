// HloModuleProto to Module and back.
//
// Reading keeps everything: what the IR holds, and as raw bytes (Attr::UnknownFields of module, computations
// and instructions) what it does not, so that writing gives the same message again. Ids are kept too
// (Attr::UniqueId). The order of computations is kept; instructions come in the order of the schedule where
// there is one. Errors are collected, up to 100, each with the names of its computation and instruction. An
// instruction that could not be read becomes an Opaque one: a module that came with errors is for looking at,
// not for compiling. Source: HloModule::CreateFromProto and ToProto of XLA and those of its parts.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

namespace pb {
class HloModuleProto;
}

struct ProtoReadResult {
  // Null when the message holds no computation.
  std::unique_ptr<Module> module;
  Diagnostics diagnostics;
};

// Uses up `proto`. Error kinds: "no-computations", "missing-operand", "operand-count", "called-computations",
// "missing-computation", "duplicate-id", "missing-root", "missing-entry", "bad-schedule", "bad-shape",
// "bad-layout", "bad-literal", "literal-shape", "bad-sharding", "bad-payload", "unknown-enum", ...
ProtoReadResult readModule(pb::HloModuleProto& proto, const std::string& file = {});

void writeModule(const Module& module, pb::HloModuleProto& proto);

}  // namespace hilo
