// lint:
// lint: FP_FUSED=1
// Adds a product to a total.
//   FP_FUSED=0  1: a floating type's sum of products, where each product but the first is added by fma
#ifndef FP_FUSED
#error "block/product.cl needs FP_FUSED"
#endif
#if FP_FUSED
#define FP_ADD_PRODUCT(total, x, y) fma(x, y, total)
#else
#define FP_ADD_PRODUCT(total, x, y) fp_op(total, fp_product(x, y))
#endif
