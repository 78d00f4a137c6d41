// lint:
// lint: FP_MARKED=1
// The bins of an operator without an identity have marks, which say whether they have a value.
//   FP_MARKED=0  1: there are marks; 0: a bin without a value has the operator's identity
#ifndef FP_MARKED
#error "block/marks.cl needs FP_MARKED"
#endif
#if FP_MARKED
#define FP_ROWS_PARAMS __global FP_T *rows, __global uchar *row_marks
#define FP_ROW_MARKS row_marks
#define FP_IDENTITY (*rows) // not used
#define FP_MARKS_PARAM , __global uchar *row_marks
#define fp_has(place) row_marks[place]
#define fp_mark(place) (row_marks[place] = 1)
#else
#define FP_ROWS_PARAMS const FP_T identity, __global FP_T *rows
#define FP_ROW_MARKS ((__global uchar *)0) // not used
#define FP_IDENTITY identity
#define FP_MARKS_PARAM
#define fp_has(place) true
#define fp_mark(place)
#endif
