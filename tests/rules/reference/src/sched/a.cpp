// A visitor counts itself first (L2).
