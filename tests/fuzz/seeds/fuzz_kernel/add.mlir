module @add attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @main(%a: memref<128xf32>, %b: memref<128xf32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %smem = arith.constant 1024 : i32
    %c0 = arith.constant 0 : i32
    %bytes = arith.constant 512 : i32
    %false = arith.constant false
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c128, %sy = %c1, %sz = %c1) dynamic_shared_memory_size %smem {
      %buf = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<128xf32, #gpu.address_space<workgroup>>
      %bar = "mosaic_gpu.slice_smem"() <{offset = 512 : i32}> : () -> memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
      %pi = memref.extract_aligned_pointer_as_index %bar : memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>> -> index
      %pl = arith.index_cast %pi : index to i64
      %p = llvm.inttoptr %pl : i64 to !llvm.ptr<3>
      "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
      gpu.barrier
      %slot = memref.subview %bar[0] [1] [1] : memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>> to memref<!mosaic_gpu.barrier, strided<[]>, #gpu.address_space<workgroup>>
      %one = memref.cast %slot : memref<!mosaic_gpu.barrier, strided<[]>, #gpu.address_space<workgroup>> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
      "mosaic_gpu.arrive_expect_tx"(%one, %bytes) : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32) -> ()
      "mosaic_gpu.async_load"(%a, %buf, %one, %c0) <{collective = [], oob_fill_mode = 2 : i32, slice_lengths = array<i64: 128>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}> : (memref<128xf32>, memref<128xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32) -> ()
      "mosaic_gpu.wait"(%one, %false) : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i1) -> ()
      %v = "mosaic_gpu.vector_load"(%buf) : (memref<128xf32, #gpu.address_space<workgroup>>) -> vector<128xf32>
      %w = arith.addf %v, %v : vector<128xf32>
      "mosaic_gpu.vector_store"(%w, %b) <{multimem = false}> : (vector<128xf32>, memref<128xf32>) -> ()
      gpu.terminator
    }
    return
  }
}
