 *   NO_NAP  the first sleep has no limit (P2)
