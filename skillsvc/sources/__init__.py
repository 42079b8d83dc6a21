"""Where skills come from: one module a kind, behind one seam."""
