// lint:
// lint: FP_COUNTED=1
// The parameters of a reduction that give its chunk, the elements of a work-group. If the device alone knows fp_n, the
// kernel computes the chunk: a multiple of `multiple`, for at most `most` groups.
#if FP_COUNTED
#define FP_CHUNK_PARAMS const ulong multiple, const ulong most
#define FP_CHUNK_ARGS multiple, most
#else
#define FP_CHUNK_PARAMS const ulong chunk
#define FP_CHUNK_ARGS chunk
#endif
