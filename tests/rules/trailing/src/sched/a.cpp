int a;  // B2
