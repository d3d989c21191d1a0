"""The cheapest tree within limits of levels and leaves."""
