// What an engine in another process or on another machine and whoever uses it say to each other.
#pragma once

#include "core/runtime/apart/device_outputs.h"
#include "core/runtime/worker/worker_messages.h"

namespace hilo {

// Raised with each change of what follows.
inline constexpr uint32_t kEngineProtocol = 2;

enum class EngineMessage : uint64_t {
  Hello,      // EngineHello, from both ends
  Compile,    // EngineCompile; answered by Compiled or Failed
  Arguments,  // EngineArguments, kept for the runs that follow; no answer
  Run,        // EngineRun; answered by Done or Failed
  Optimized,  // answered by Module or Failed
  Compiled,   // EngineCompiled
  Done,       // EngineDone
  Module,     // EngineModule
  Failed,     // a Diagnostic
  Progress,   // EngineProgress, while something is done
  Alive,      // nothing, each second
};

struct EngineHello {
  uint32_t protocol = kEngineProtocol;
  std::string version;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("protocol", self.protocol);
    v("version", self.version);
  }
};

struct EngineCompile {
  std::string engine;             // with its flags: "cpu:quick"
  std::vector<std::byte> module;  // HloModuleProto
  Shape result;                   // of its entry
  int64_t replicas = 1;
  int64_t timeLimitNs = 0, memoryLimitBytes = 0;  // of a run; 0: none, as much as the machine has
  std::vector<InfeedValues> infeeds;
  bool isChecked = false, hasOrderSeed = false;
  uint64_t orderSeed = 0;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("engine", self.engine);
    v("module", self.module);
    v("result", self.result);
    v("replicas", self.replicas);
    v("timeLimit", self.timeLimitNs);
    v("memoryLimit", self.memoryLimitBytes);
    v("infeeds", self.infeeds);
    v("isChecked", self.isChecked);
    v("hasOrderSeed", self.hasOrderSeed);
    v("orderSeed", self.orderSeed);
  }
};

struct EngineCompiled {
  std::vector<std::string> notes;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("notes", self.notes);
  }
};

struct EngineArguments {
  std::vector<std::vector<Literal>> lists;  // one for all devices or one a device
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("lists", self.lists);
  }
};

struct EngineRun {
  int64_t replicas = 1, partitions = 1;
  bool sequential = false;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("replicas", self.replicas);
    v("partitions", self.partitions);
    v("sequential", self.sequential);
  }
};

struct EngineDone {
  DeviceOutputs outputs;  // with what outfeeds gave, as host_feed.h says
  int64_t executionNs = 0;
  Diagnostics findings;
  int64_t mostHeldBytes = 0;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("outputs", self.outputs);
    v("execution", self.executionNs);
    v("findings", self.findings);
    v("mostHeld", self.mostHeldBytes);
  }
};

struct EngineModule {
  std::vector<std::byte> bytes;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("bytes", self.bytes);
  }
};

struct EngineFailure {
  Diagnostic why;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("why", self.why);
  }
};

struct EngineProgress {
  std::string text;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("text", self.text);
  }
};

}  // namespace hilo
