"""Straight center-fed thin wire: mixed-potential integral equation, Galerkin with hats, exact kernel of a tube
(current on the surface, averaged around it), delta gap. Prints resonance (X = 0) and R there."""
import numpy as np, sys
from numpy.polynomial.legendre import leggauss
from scipy.special import ellipkm1
c0=299792458.0; eta=376.730313668
def G(k,s,a):
    # (1/2pi) int exp(-jkR)/(4 pi R) dphi, R^2 = s^2+4a^2 sin^2(phi/2). singular part by the elliptic integral, rest by quadrature
    s=np.abs(s)

    stat=ellipkm1(s*s/(s*s+4*a*a))*2/np.pi/np.sqrt(s*s+4*a*a)   # mean of 1/R
    ph=(np.arange(24)+.5)/24*np.pi
    R=np.sqrt(s[...,None]**2+4*a*a*np.sin(ph/2)**2)
    dyn=((np.exp(-1j*k*R)-1)/R).mean(-1)
    return (stat+dyn)/(4*np.pi)
def z_in(f,l,a,n):
    k=2*np.pi*f/c0; h=l/n
    # Toeplitz moments over pairs of segments at distance d=0..n-1: T_ab = int int la(s) lb(s') G
    x,w=leggauss(12)
    # graded panels on difference variable: integrate over u=s-s' with triangle weights
    T=np.zeros((n,2,2),complex)
    for d in range(n):
        # s in [0,h], s' in [dh,(d+1)h]; substitute v=s'-s in [(d-1)h,(d+1)h]
        br=[(d-1)*h,d*h,(d+1)*h]
        pts=[];
        for lo,hi in zip(br[:-1],br[1:]):
            # grade towards v=0 if it is an end
            if d<=1 and (abs(lo)<1e-15 or abs(hi)<1e-15):
                e=[h*0.2**j for j in range(0,14)]+[0]
                if abs(lo)<1e-15: pan=[(e[j+1],e[j]) for j in range(14)]
                else: pan=[(-e[j],-e[j+1]) for j in range(14)]
            else: pan=[(lo,hi)]
            for p,q in pan: pts.append((.5*(p+q)+.5*(q-p)*x,.5*(q-p)*w))
        v=np.concatenate([p[0] for p in pts]); wv=np.concatenate([p[1] for p in pts])
        g=G(k,v,a)
        # inner: s from max(0,dh-v) to min(h,(d+1)h-v)
        lo=np.maximum(0,d*h-v); hi=np.minimum(h,(d+1)*h-v)
        for i,xi in enumerate(leggauss(3)[0]):
            s=.5*(lo+hi)+.5*(hi-lo)*xi; ws=.5*(hi-lo)*leggauss(3)[1][i]
            sp=(s+v-d*h)/h; sn=s/h
            la=[1-sn,sn]; lb=[1-sp,sp]
            for A in range(2):
                for B in range(2):
                    T[d,A,B]+=np.sum(wv*ws*g*la[A]*lb[B])
    N=n-1
    Z=np.zeros((N,N),complex)
    S=T.sum((1,2))/h**2
    def t(i,j,A,B):
        d=j-i
        return T[d,A,B] if d>=0 else T[-d,B,A]
    for p in range(N):
        for q in range(N):
            # hat p on segments p (shape1), p+1 (shape0)
            v=0;ph=0
            for (i,A,sg) in ((p,1,1),(p+1,0,-1)):
                for (j,B,sh) in ((q,1,1),(q+1,0,-1)):
                    v+=t(i,j,A,B); ph+=sg*sh*S[abs(j-i)]
            Z[p,q]=1j*k*eta*v+eta/(1j*k)*ph
    V=np.zeros(N,complex); V[N//2]=1
    I=np.linalg.solve(Z,V)
    return 1/I[N//2]
def resonance(l,a,n,f0):
    lo,hi=f0*.85,f0*1.0
    zl=z_in(lo,l,a,n).imag
    for _ in range(30):
        mid=.5*(lo+hi); z=z_in(mid,l,a,n)
        if z.imag<0: lo=mid
        else: hi=mid
        if hi-lo<1e-6*f0: break
    return mid,z
if __name__=="__main__":
    l=1.0
    for a in (1e-4,5e-4,1e-3,2e-3,5e-3):
        for n in (20,40,80):
            f,z=resonance(l,a,n,c0/(2*l))
            print(f"a {a} n {n} f {f/1e6:.3f} MHz l/lambda {f*l/c0:.5f} Z {z.real:.2f}", flush=True)
    z=z_in(c0/2,1.0,1e-5,80); print("half wave, thin",z)
    for a in (5e-4,1e-3): print("half wave", a, z_in(c0/2,1.0,a,80))
