//  L2  A visitor counts itself first.
