"""Where skills come from: one module or package a kind, behind one seam. No kind knows another."""
