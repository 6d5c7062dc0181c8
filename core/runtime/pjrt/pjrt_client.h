// A client of a PJRT library: compiles modules, moves literals to buffers and back, executes. Of one thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/hlo/ir/literal.h"
#include "core/runtime/pjrt/pjrt_library.h"

namespace hilo {

// What a run gave, and how long executing took: from all arguments in place to all results made.
struct PjrtOutput {
  std::vector<Literal> results;  // one a device, of the shape that was asked for
  int64_t executionNs = 0;
};

class PjrtProgramOf;

class PjrtSession : public std::enable_shared_from_this<PjrtSession> {
 public:
  // Options are NAME=VALUE; a whole number is given as one. Kinds: the library's.
  static Result<std::shared_ptr<PjrtSession>> open(std::shared_ptr<const PjrtLibrary> library,
                                                   std::span<const std::string> options = {});
  ~PjrtSession();

  const PjrtLibrary& library() const { return *library_; }
  // "cpu", and what the platform says of its version.
  Result<std::string> platform() const;
  size_t deviceCount() const { return devices_.size(); }

  // A HloModuleProto for so many replicas. Kinds: "no-device" where there are fewer devices, the library's.
  Result<std::unique_ptr<PjrtProgramOf>> compile(std::string_view moduleBytes, int64_t replicas);

 private:
  friend class PjrtProgramOf;
  explicit PjrtSession(std::shared_ptr<const PjrtLibrary> library) : library_(std::move(library)) {}

  std::shared_ptr<const PjrtLibrary> library_;
  PjrtClient* client_ = nullptr;
  std::vector<PjrtDevice*> devices_;
};

// A module that was compiled.
class PjrtProgramOf {
 public:
  PjrtProgramOf(std::shared_ptr<PjrtSession> session, PjrtLoaded* executable)
      : session_(std::move(session)), executable_(executable) {}
  ~PjrtProgramOf();

  // `arguments`: a list of arrays for each device, or one for all; `result` an array or a tuple of arrays.
  Result<PjrtOutput> run(std::span<const std::vector<Literal>> arguments, int64_t devices, Shape result);
  // What the library made of the module, and its format: "hlo", "hlo_with_config", "mlir".
  struct Optimized {
    std::string bytes, format;
  };
  Result<Optimized> optimized() const;

 private:
  std::shared_ptr<PjrtSession> session_;
  PjrtLoaded* executable_;
};

// Why PJRT cannot take or give a value of this shape; nothing where it can.
std::optional<std::string> whyNotOfPjrt(Shape shape);

}  // namespace hilo
