#include "core/runtime/program/checks/check_thunk.h"

namespace hilo {
namespace {

Status checkChannel(CollectivePlace collective, const CheckedThunk& at) {
  if (at.program.collectives[collective].kind != CollectiveKind::SendRecv)
    return at.malformed("names no channel to send on");
  return {};
}

}  // namespace

Status check(const SendThunk& thunk, const CheckedThunk& at) { return checkChannel(thunk.collective, at); }
Status check(const ReceiveThunk& thunk, const CheckedThunk& at) { return checkChannel(thunk.collective, at); }

}  // namespace hilo
