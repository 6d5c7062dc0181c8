// One function an opcode or family; the table that joins them to opcodes is handlers.cpp. The file a handler
// is in is named for its family.
#pragma once

#include "core/hlo/eval/eval_context.h"

namespace hilo::eval {

#define HANDLER(name) Result<Literal> name(const Instruction&, std::span<Literal>, EvalContext&)

// elementwise.cpp
HANDLER(elementwise);
HANDLER(select);
HANDLER(clamp);
// convert.cpp
HANDLER(convert);
HANDLER(bitcastConvert);
HANDLER(stochasticConvert);
// data_movement.cpp
HANDLER(bitcast);
HANDLER(broadcast);
HANDLER(concatenate);
HANDLER(copy);
HANDLER(iota);
HANDLER(pad);
HANDLER(reshape);
HANDLER(reverse);
HANDLER(slice);
HANDLER(transpose);
// dynamic_slice.cpp
HANDLER(dynamicSlice);
HANDLER(dynamicUpdateSlice);
// dynamic_shape.cpp
HANDLER(dynamicReshape);
HANDLER(getDimensionSize);
HANDLER(setDimensionSize);
// gather.cpp, scatter.cpp
HANDLER(gather);
HANDLER(scatter);
// reduce.cpp, reduce_window.cpp, select_and_scatter.cpp, map.cpp, scan.cpp
HANDLER(reduce);
HANDLER(reduceWindow);
HANDLER(selectAndScatter);
HANDLER(map);
HANDLER(scan);
// sort.cpp
HANDLER(sort);
HANDLER(topK);
// dot.cpp, ragged_dot.cpp, scaled_dot.cpp, convolution.cpp
HANDLER(dot);
HANDLER(raggedDot);
HANDLER(scaledDot);
HANDLER(convolution);
// linear_algebra.cpp, fft.cpp, batch_norm.cpp
HANDLER(cholesky);
HANDLER(triangularSolve);
HANDLER(fft);
HANDLER(batchNormGrad);
HANDLER(batchNormInference);
HANDLER(batchNormTraining);
// random.cpp
HANDLER(rng);
HANDLER(rngBitGenerator);
HANDLER(rngGetAndUpdateState);
// control_flow.cpp
HANDLER(call);
HANDLER(conditional);
HANDLER(fusion);
HANDLER(whileLoop);
// async.cpp
HANDLER(asyncDone);
HANDLER(asyncStart);
HANDLER(asyncUpdate);
HANDLER(copyDone);
HANDLER(copyStart);
// tuple.cpp
HANDLER(constant);
HANDLER(forwardFirst);
HANDLER(getTupleElement);
HANDLER(parameter);
HANDLER(partitionId);
HANDLER(replicaId);
HANDLER(token);
HANDLER(tuple);
// collective.cpp
HANDLER(collective);
HANDLER(collectiveStart);
HANDLER(collectiveDone);
// communication.cpp
HANDLER(infeed);
HANDLER(outfeed);
HANDLER(recv);
HANDLER(recvDone);
HANDLER(send);
HANDLER(sendDone);
// expanded.cpp
HANDLER(expanded);
// handlers.cpp
HANDLER(unsupported);

#undef HANDLER

}  // namespace hilo::eval
