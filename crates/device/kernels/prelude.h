// The kernel dialect: one C that compiles as CUDA (NVRTC, C++17) and as OpenCL C 1.2.
// It is prepended to every kernel file. docs/kernels.md documents it.

#ifdef __OPENCL_VERSION__

// Double precision and 64-bit atomics are optional in OpenCL C 1.2.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;

#define KERNEL __kernel void
#define DEVICE static inline
#define GLOBAL __global
#define CONSTANT __constant
#define CONSTANT_PTR __constant
#define LOCAL __local
#define LOCAL_PTR __local
#define RESTRICT restrict
// __syncthreads also orders accesses to global memory, so that the OpenCL barrier must too.
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
// OpenCL C 1.2 has no standard pragma for this: its compilers decide.
#define UNROLL

// Global indices are 64 bits: a matrix may have more than 2^31 entries. Those of groups fit 32
// bits.
#define GLOBAL_ID(d) ((i64)get_global_id(d))
#define LOCAL_ID(d) ((i32)get_local_id(d))
#define GROUP_ID(d) ((i32)get_group_id(d))
#define GROUP_SIZE(d) ((i32)get_local_size(d))
#define NUM_GROUPS(d) ((i32)get_num_groups(d))

// A queue of OpenCL runs its kernels one after the other: nothing to wait for.
#define GRID_DEPENDENCY_SYNC()
#define TRIGGER_DEPENDENTS()

// OpenCL returns the sine, CUDA stores both.
#define SINCOS(x, s, c) (*(s) = sincos((x), (c)))

#else

typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

// BOUNDS, as in __launch_bounds__: maximum work items per group, minimum resident groups per multiprocessor.
#ifdef BOUNDS
#define KERNEL extern "C" __global__ void __launch_bounds__(BOUNDS)
#else
#define KERNEL extern "C" __global__ void
#endif
// Device functions are inlined: arrays passed to them stay in registers.
#define DEVICE static __device__ __forceinline__
#define GLOBAL
#define CONSTANT static __constant__ const
#define CONSTANT_PTR const
#define LOCAL __shared__
#define LOCAL_PTR
#define RESTRICT __restrict__
#define BARRIER() __syncthreads()
#define UNROLL _Pragma("unroll")

// Axes by number as in OpenCL: GLOBAL_ID(1) pastes AXIS_1 = y to the name of CUDA's variable.
#define AXIS_0 x
#define AXIS_1 y
#define AXIS_2 z
#define GLOBAL_ID(d) ((i64)blockIdx.AXIS_##d * blockDim.AXIS_##d + threadIdx.AXIS_##d)
#define LOCAL_ID(d) ((i32)threadIdx.AXIS_##d)
#define GROUP_ID(d) ((i32)blockIdx.AXIS_##d)
#define GROUP_SIZE(d) ((i32)blockDim.AXIS_##d)
#define NUM_GROUPS(d) ((i32)gridDim.AXIS_##d)

// Programmatic dependent launch: wait for all preceding grids; let the next grid start.
#if __CUDA_ARCH__ >= 900
#define GRID_DEPENDENCY_SYNC() asm volatile("griddepcontrol.wait;" ::: "memory")
#define TRIGGER_DEPENDENTS() asm volatile("griddepcontrol.launch_dependents;" ::: "memory")
#else
#define GRID_DEPENDENCY_SYNC()
#define TRIGGER_DEPENDENTS()
#endif

#define SINCOS(x, s, c) sincos((x), (s), (c))

#endif

typedef float f32;
typedef double f64;

// REAL is the working precision: -DREAL=float or -DREAL=double.
#ifndef REAL
#define REAL double
#endif

// A literal in working precision: R(0.5) is 0.5f when REAL is float.
#define R(literal) ((REAL)(literal))
#define PI R(3.14159265358979323846)

// Atomic additions to global memory. Integer ones return the previous value; floating-point ones return nothing.
#ifdef __OPENCL_VERSION__

#define ATOMIC_ADD_I32(p, v) atomic_add((volatile __global int *)(p), (v))
#define ATOMIC_ADD_I64(p, v) atom_add((volatile __global long *)(p), (v))

// OpenCL 1.2 has no floating-point atomics: a compare-and-swap loop on the bits.
DEVICE void atomic_add_f32(volatile __global float *p, float v) {
    volatile __global uint *bits = (volatile __global uint *)p;
    uint seen = *bits, old;
    do {
        old = seen;
        seen = atomic_cmpxchg(bits, old, as_uint(as_float(old) + v));
    } while (seen != old);
}

DEVICE void atomic_add_f64(volatile __global double *p, double v) {
    volatile __global ulong *bits = (volatile __global ulong *)p;
    ulong seen = *bits, old;
    do {
        old = seen;
        seen = atom_cmpxchg(bits, old, as_ulong(as_double(old) + v));
    } while (seen != old);
}

#define ATOMIC_ADD_F32(p, v) atomic_add_f32((p), (v))
#define ATOMIC_ADD_F64(p, v) atomic_add_f64((p), (v))

#else

#define ATOMIC_ADD_I32(p, v) atomicAdd((p), (v))
// CUDA adds 64-bit integers as unsigned ones; in two's complement the sum has the same bits.
#define ATOMIC_ADD_I64(p, v) ((i64)atomicAdd((u64 *)(p), (u64)(v)))
#define ATOMIC_ADD_F32(p, v) ((void)atomicAdd((p), (v)))
#define ATOMIC_ADD_F64(p, v) ((void)atomicAdd((p), (v)))

#endif

// Complex numbers with the layout of Rust's num_complex: c32 of floats, c64 of doubles.
typedef struct { f32 re, im; } c32;
typedef struct { f64 re, im; } c64;

// The functions of complex type C over real type T. One definition serves both precisions.
#define COMPLEX_FUNCTIONS(C, T)                                                                              \
    DEVICE C C##_new(T re, T im) { C z; z.re = re; z.im = im; return z; }                                    \
    DEVICE C C##_add(C a, C b) { return C##_new(a.re + b.re, a.im + b.im); }                                 \
    DEVICE C C##_sub(C a, C b) { return C##_new(a.re - b.re, a.im - b.im); }                                 \
    DEVICE C C##_neg(C a) { return C##_new(-a.re, -a.im); }                                                  \
    DEVICE C C##_conj(C a) { return C##_new(a.re, -a.im); }                                                  \
    DEVICE C C##_scale(T s, C a) { return C##_new(s * a.re, s * a.im); }                                     \
    /* j a */                                                                                                \
    DEVICE C C##_mulj(C a) { return C##_new(-a.im, a.re); }                                                  \
    DEVICE C C##_mul(C a, C b) {                                                                             \
        return C##_new(fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re));                       \
    }                                                                                                        \
    /* a b + c */                                                                                            \
    DEVICE C C##_fma(C a, C b, C c) {                                                                        \
        return C##_new(fma(-a.im, b.im, fma(a.re, b.re, c.re)), fma(a.im, b.re, fma(a.re, b.im, c.im)));     \
    }                                                                                                        \
    DEVICE T C##_abs2(C a) { return fma(a.re, a.re, a.im * a.im); }                                          \
    DEVICE T C##_abs(C a) { return hypot(a.re, a.im); }                                                      \
    DEVICE T C##_arg(C a) { return atan2(a.im, a.re); }                                                      \
    /* Overflows where |b|^2 does. */                                                                        \
    DEVICE C C##_div(C a, C b) { return C##_scale((T)1 / C##_abs2(b), C##_mul(a, C##_conj(b))); }            \
    /* exp(j x) */                                                                                           \
    DEVICE C C##_expj(T x) { T s, c; SINCOS(x, &s, &c); return C##_new(c, s); }                              \
    DEVICE C C##_exp(C a) { return C##_scale(exp(a.re), C##_expj(a.im)); }                                   \
    /* The principal root: real part not below zero. */                                                      \
    DEVICE C C##_sqrt(C a) {                                                                                 \
        T r = C##_abs(a), big = sqrt((T)0.5 * (r + fabs(a.re)));                                             \
        if (big == (T)0) return C##_new((T)0, (T)0);                                                         \
        T small = (T)0.5 * a.im / big;                                                                       \
        if (a.re >= (T)0) return C##_new(big, small);                                                        \
        return C##_new(fabs(small), copysign(big, a.im));                                                    \
    }

COMPLEX_FUNCTIONS(c32, f32)
COMPLEX_FUNCTIONS(c64, f64)

// cplx and cplx_* are c32 or c64 by REAL.
// Two levels, so that arguments are expanded before they are pasted.
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define COMPLEX_OF_float c32
#define COMPLEX_OF_double c64
#define CPLX PASTE(COMPLEX_OF_, REAL)
typedef CPLX cplx;
#define cplx_new PASTE(CPLX, _new)
#define cplx_add PASTE(CPLX, _add)
#define cplx_sub PASTE(CPLX, _sub)
#define cplx_neg PASTE(CPLX, _neg)
#define cplx_conj PASTE(CPLX, _conj)
#define cplx_scale PASTE(CPLX, _scale)
#define cplx_mulj PASTE(CPLX, _mulj)
#define cplx_mul PASTE(CPLX, _mul)
#define cplx_fma PASTE(CPLX, _fma)
#define cplx_abs2 PASTE(CPLX, _abs2)
#define cplx_abs PASTE(CPLX, _abs)
#define cplx_arg PASTE(CPLX, _arg)
#define cplx_div PASTE(CPLX, _div)
#define cplx_expj PASTE(CPLX, _expj)
#define cplx_exp PASTE(CPLX, _exp)
#define cplx_sqrt PASTE(CPLX, _sqrt)
