//! 2-D scattering by the method of moments
