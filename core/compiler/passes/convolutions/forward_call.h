// A call to cuDNN of a forward convolution as plain data: what it convolves, and what it does with the
// result. function(scale * convolution + side scale * side input + bias);
// core/hlo/expand/fused_convolution.cpp says what the functions are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

struct ForwardCall {
  Instruction* call = nullptr;
  Instruction* element = nullptr;       // its result, which alone reads it
  std::vector<Instruction*> operands;   // input, filter, and where it is fused bias and perhaps side input
  ElementType type = ElementType::F32;  // of the result
  double scale = 1, sideScale = 0;
  double slope = 0;  // of kLeakyRelu, below zero
  std::string function = "kNone";

  bool isFused() const { return operands.size() > 2; }
  bool hasSideInput() const { return operands.size() > 3; }
  bool hasFunction() const { return function != "kNone"; }
  // No bias but zeros.
  bool takesBias() const;
  // Each feature convolved by itself: cuDNN has nothing faster for what follows these.
  bool isDepthwise() const;
  const ConvolutionDimensionNumbers& numbers() const { return *call->get<Attr::DimLabels>(); }
};

// The call that gives `value`; nullopt where it is none, or where something else reads the call too.
std::optional<ForwardCall> forwardCallOf(Instruction* value);

// Makes a call with bias of one without: zeros, in front of `before`. Of integers the bias is f32.
void addBias(ForwardCall& call, Instruction& before);
ElementType biasType(ElementType result);

// The call with the element that gives its result, in front of `before`; gives the element.
Instruction* makeForwardCall(const ForwardCall& call, Instruction& before);

// Every element is this one number: a broadcast of a constant with one element.
std::optional<double> repeatedNumber(const Instruction& value);
// Read by one other instruction and no more.
bool isReadByOne(const Instruction& i);

}  // namespace hilo
