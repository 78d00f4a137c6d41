// lint:
// lint: FP_PARTS=1
// The elements of block k are those from k * block on, below (k + 1) * block and n.
//   FP_PARTS=0  1: blocks are divided into `parts` of `height` elements, and the last part may be shorter. The elements
//               are those of part k, and there are no shorter blocks.
#ifndef FP_PARTS
#error "block/parts.cl needs FP_PARTS"
#endif
#define FP_FIRST(k) (FP_PARTS ? (k) / parts * block + (k) % parts * height : (k)*block)
#define FP_LAST(k)                                                                                                     \
    (FP_PARTS                ? (k) / parts * block + min((k) % parts * height + height, block)                         \
     : n - (k)*block < block ? n                                                                                       \
                             : ((k) + 1) * block)
