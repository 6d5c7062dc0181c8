// Programs of kernels with nothing wrong in them. Each is of a kind that Pallas writes.
#pragma once

#include <map>
#include <string>

namespace hilo {

inline const std::map<std::string, std::string> kGoodKernels = {
    // One group loads two tiles ahead, the other multiplies.
    {"pipeline", R"(ref a shared 0 16384
ref b shared 16384 16384
barrier full slots 2 arrivals 1
barrier empty slots 2 arrivals 1
group load
repeat i 6
  wait empty[{i % 2}] {(i / 2 + 1) % 2}
  expect full[{i % 2}] 16384
  copy-in a[{i % 2 * 8192}:8192] full[{i % 2}] 8192
  copy-in b[{i % 2 * 8192}:8192] full[{i % 2}] 8192
end
group multiply
repeat i 6
  wait full[{i % 2}] {i / 2 % 2}
  multiply a[{i % 2 * 8192}:8192] b[{i % 2 * 8192}:8192]
  wait-multiply 0
  arrive empty[{i % 2}]
end
)"},
    // The same three tiles ahead; a tile is given back a turn later, while the next product runs.
    {"delayed release", R"(ref a shared 0 24576
barrier full slots 3 arrivals 1
barrier empty slots 3 arrivals 1
group load
repeat i 6
  wait empty[{i % 3}] {(i / 3 + 1) % 2}
  expect full[{i % 3}] 8192
  copy-in a[{i % 3 * 8192}:8192] full[{i % 3}] 8192
end
group multiply
wait full[0] 0
multiply a[0:8192]
repeat i 5
  wait full[{(i + 1) % 3}] {(i + 1) / 3 % 2}
  multiply a[{(i + 1) % 3 * 8192}:8192]
  wait-multiply 1
  arrive empty[{i % 3}]
end
wait-multiply 0
)"},
    {"pointwise", R"(ref in shared 0 4096
ref out shared 4096 4096
barrier full slots 1 arrivals 1
group all
  expect full 4096
  copy-in in full 4096
  wait full 0
  read in
  write out
  fence
  copy-out out
  wait-copies 0
)"},
    {"two copies in a group", R"(ref a shared 0 4096
ref b shared 4096 4096
group all
  write a
  fence
  copy-out-pending a
  write b
  fence
  copy-out-pending b
  commit
  wait-copies 0
  write a
)"},
    {"cluster", R"(ref a shared 0 4096
group one
  write a
  cluster-arrive
  cluster-wait
group two
  cluster-arrive
  cluster-wait
  read a
)"},
    {"semaphore", R"(ref a shared 0 4096
semaphore ready 0
group one
  write a
  signal ready 1
group two
  await ready 1
  read a
)"},
    {"tensor cores", R"(ref a shared 0 8192
ref b shared 8192 8192
ref sum tensor 0 64
barrier full slots 1 arrivals 1
barrier done slots 1 arrivals 1
group all
  alloc sum
  expect full 16384
  copy-in a full 8192
  copy-in b full 8192
  wait full 0
  tensor-multiply sum a b
  tensor-commit done
  wait done 0
  read sum
  free sum
)"},
    {"halves", R"(ref a shared 0 4096
group one
  write a[0:2048]
  sync
  read a[2048:2048]
group two
  write a[2048:2048]
  sync
  read a[0:2048]
)"},
};

}  // namespace hilo
