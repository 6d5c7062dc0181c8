// Work that a device is given once and begins as a whole, again and again: kernels, copies, and loops and
// choices that it takes itself, in the order that edges say. A graph of CUDA; a command buffer of XLA.
#pragma once

#include "core/runtime/device/device.h"

namespace hilo {

struct WorkNode;
// In an order that the edges allow.
using WorkGraph = std::vector<WorkNode>;

struct WorkNode {
  enum class Kind : uint8_t { Kernel, Copy, Loop, Choice };
  Kind kind = Kind::Kernel;
  WorkNote note;
  std::vector<uint32_t> after;  // earlier nodes of the same work

  // Kernel. As Stream::launch has it; each argument by its bytes.
  const DeviceKernel* kernel = nullptr;
  LaunchShape shape;
  std::vector<std::vector<std::byte>> arguments;

  // Copy.
  DeviceAddress to{}, from{};
  int64_t bytes = 0;

  // Loop: bodies[0] while the pred at `selector` holds. Choice: one of the bodies, by a pred (true is the
  // first) or by an s32, where a number outside takes the last.
  DeviceAddress selector{};
  bool byPred = true;
  std::vector<WorkGraph> bodies;
};

// Made by Device::makeGraph, and used by one thread at a time.
class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;
  // The same nodes on other addresses. What was begun goes on with the old ones.
  virtual Status update(const WorkGraph& work) = 0;
  // Gives all of it to the stream.
  virtual Status launch(Stream& stream) = 0;
};

}  // namespace hilo
