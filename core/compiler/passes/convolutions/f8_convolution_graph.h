// Convolutions of 8 bit floats as calls to cuDNN of a graph: the convolution and the elementwise work behind
// it, as far as one array comes out of it, and the largest magnitude of what is in between. Operands may be
// widened and scaled in front of the convolution; the scales become part of the graph. What is in the graph:
// add, scale and invscale (by a scalar), relu, relu6 (relu, min), elu, a leaky relu (min, scale, max), a cast
// that saturates, and amax. As XLA's backends/gpu/transforms/cudnn_fused_conv_rewriter.cc; the operations
// stand in the order of the module, numbered from 1, and what one takes from outside is an operand of the
// call, in the order of the graph. core/hlo/expand/convolution_graph.cpp reads it.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// True when it changed anything.
bool makeF8ConvolutionGraphs(Computation& computation, PassContext& context);

}  // namespace hilo
