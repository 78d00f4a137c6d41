// lint:
// Few elements are combined by one work-item, from left to right.
//   FP_SERIAL_MOST=1024  the most that are; 0: any order will do
#ifndef FP_SERIAL_MOST
#error "block/gpu/serial.cl needs FP_SERIAL_MOST"
#endif

// Are n elements few? If the host knows n, FP_SERIAL_MOST says it. The casts keep clang from warning of constants.
#define fp_are_few(n) ((bool)(FP_SERIAL_MOST > 0 && (bool)(!FP_COUNTED || (n) <= FP_SERIAL_MOST)))
