// What canonicalization makes of views of memory.
#include <mlir/IR/PatternMatch.h>

#include "plugins/mosaic/dialect.h"

namespace hilo::mosaic {
namespace {

// A view of a part of shared memory is that part, with the view's type.
struct CastOfSlice : mlir::OpRewritePattern<ReinterpretCastOp> {
  using OpRewritePattern::OpRewritePattern;
  mlir::LogicalResult matchAndRewrite(ReinterpretCastOp cast,
                                      mlir::PatternRewriter& rewriter) const override {
    auto slice = cast.getSource().getDefiningOp<SliceSMEMOp>();
    if (!slice) return mlir::failure();
    rewriter.replaceOpWithNewOp<SliceSMEMOp>(cast, cast.getResult().getType(), slice.getOffsetAttr(),
                                             slice.getAliasIdAttr());
    return mlir::success();
  }
};

// The one type that all users of `argument` view it as; null where they differ or do something else.
mlir::Type viewedAs(mlir::Value argument) {
  mlir::Type type;
  for (mlir::Operation* user : argument.getUsers()) {
    auto cast = llvm::dyn_cast<ReinterpretCastOp>(user);
    if (!cast || (type && cast.getType() != type)) return {};
    type = cast.getType();
  }
  return type;
}

// A view that all code in a warp_map takes of an operand is taken before it.
struct CastBeforeWarpMap : mlir::OpRewritePattern<WarpMapOp> {
  using OpRewritePattern::OpRewritePattern;
  mlir::LogicalResult matchAndRewrite(WarpMapOp map, mlir::PatternRewriter& rewriter) const override {
    bool isChanged = false;
    mlir::Block& body = map.getRegion().front();
    for (unsigned at = 0; at < body.getNumArguments() && at < map->getNumOperands(); ++at) {
      const mlir::BlockArgument argument = body.getArgument(at);
      const mlir::Type type = viewedAs(argument);
      if (!type) continue;
      auto before = ReinterpretCastOp::create(rewriter, map.getLoc(), type, map->getOperand(at));
      const llvm::SmallVector<mlir::Operation*> casts(argument.getUsers());
      rewriter.modifyOpInPlace(map, [&] {
        map->setOperand(at, before);
        body.getArgument(at).setType(type);
      });
      for (mlir::Operation* cast : casts) rewriter.replaceOp(cast, body.getArgument(at));
      isChanged = true;
    }
    return mlir::success(isChanged);
  }
};

}  // namespace

mlir::OpFoldResult ReinterpretCastOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType()) return getSource();
  auto before = getSource().getDefiningOp<ReinterpretCastOp>();
  if (!before) return {};
  getSourceMutable().assign(before.getSource());
  return getResult();
}

void ReinterpretCastOp::getCanonicalizationPatterns(mlir::RewritePatternSet& patterns,
                                                    mlir::MLIRContext* context) {
  patterns.add<CastOfSlice>(context);
}
void WarpMapOp::getCanonicalizationPatterns(mlir::RewritePatternSet& patterns, mlir::MLIRContext* context) {
  patterns.add<CastBeforeWarpMap>(context);
}

}  // namespace hilo::mosaic
