"""The Fourier algebra of trees."""
