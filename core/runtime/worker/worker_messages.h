// What a worker and whoever started it say to each other. Arguments and results do not travel: they lie in
// memory that both have mapped, laid out by worker_memory.h. What infeeds take and outfeeds give, of which
// nobody knows before how much it is, does.
#pragma once

#include "core/base/diagnostic.h"
#include "core/hlo/ir/host_feed.h"
#include "core/runtime/program/field_bytes.h"
#include "core/runtime/trace/thunk_trace.h"

namespace hilo {

enum class WorkerMessage : uint64_t {
  Load,     // WorkerProgram, the file has its constants; answered by Ready or Failed
  Prepare,  // WorkerGrid, the file is the memory of its arrays; answered by Ready or Failed
  Run,      // WorkerRun; answered by Done or Failed
  Ready,
  Done,    // WorkerDone
  Failed,  // WorkerFailure
};

struct WorkerProgram {
  uint64_t constantsAt = 0;     // in the file
  std::vector<std::byte> head;  // as program_file.h says
  // The DeviceChoice it runs on.
  std::string device;
  int64_t deviceNumber = 0;
  bool isChecked = false, hasOrderSeed = false;
  uint64_t orderSeed = 0;
  uint32_t graphThunks = 0;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("constantsAt", self.constantsAt);
    v("head", self.head);
    v("device", self.device);
    v("deviceNumber", self.deviceNumber);
    v("isChecked", self.isChecked);
    v("hasOrderSeed", self.hasOrderSeed);
    v("orderSeed", self.orderSeed);
    v("graphThunks", self.graphThunks);
  }
};

struct WorkerGrid {
  int64_t replicas = 1, partitions = 1;
  bool sharesArguments = false;  // all devices read the same ones
  int64_t memoryLimitBytes = 0;
  std::vector<InfeedValues> infeeds;  // as ExecuteOptions has them
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("replicas", self.replicas);
    v("partitions", self.partitions);
    v("sharesArguments", self.sharesArguments);
    v("memoryLimit", self.memoryLimitBytes);
    v("infeeds", self.infeeds);
  }
};

struct WorkerRun {
  bool traces = false, sequential = false;
  int64_t timeLimitNs = 0;  // 0: none
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("traces", self.traces);
    v("sequential", self.sequential);
    v("timeLimit", self.timeLimitNs);
  }
};

struct WorkerDone {
  int64_t executionNs = 0;
  std::vector<ThunkEvent> events;
  int64_t droppedEvents = 0;
  std::vector<std::vector<Literal>> outfeeds;  // one list a device
  Diagnostics findings;                        // as ExecuteOptions has them
  int64_t mostHeldBytes = 0;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("execution", self.executionNs);
    v("events", self.events);
    v("dropped", self.droppedEvents);
    v("outfeeds", self.outfeeds);
    v("findings", self.findings);
    v("mostHeld", self.mostHeldBytes);
  }
};

struct WorkerFailure {
  Diagnostic why;
  bool ends = false;  // the worker does not go on after this
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("why", self.why);
    v("ends", self.ends);
  }
};

template <typename T>
std::vector<std::byte> toBytes(const T& message) {
  FieldWriter writer;
  writer("", message);
  return std::move(writer.bytes);
}
// Kind "bad-message".
template <typename T>
Result<T> fromBytes(std::span<const std::byte> bytes) {
  FieldReader reader(bytes);
  T message;
  reader("", message);
  if (!reader.ok() || !reader.atEnd()) return fail("bad-message", "a message does not hold what it should");
  return message;
}

}  // namespace hilo
